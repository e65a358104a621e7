/** A session as one HTML file: nothing in it loads or runs anything, it reads well in light and dark, and calls fold. */
import { createHash } from 'node:crypto'
import type { SessionSummary } from '@sluice/engine/ports'
import type { Block, FileDiff } from '@sluice/engine/protocol'
import { type CallPart, durationText, type Part } from './conversation.ts'
import { escapeHtml } from './escape-html.ts'
import { sessionFacts, titleText } from './facts.ts'
import { type Lex, markdownHtml } from './markdown-html.ts'
import { pageStyle } from './page-style.ts'

/** `exportedWith` stands at the foot, such as `sluice 0.1.0`. */
export function toHtml(session: SessionSummary, parts: readonly Part[], lex: Lex, exportedWith: string): string {
  const facts = sessionFacts(session).map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  const styleHash = createHash('sha256').update(pageStyle).digest('base64')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(titleText(session))}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${escapeHtml(titleText(session))}</h1>
<dl>${facts.join('')}</dl>
</header>
<main>
${turnsOf(parts)
  .map((turn) => `<section>\n${turn.map((part) => partHtml(part, lex)).join('\n')}\n</section>`)
  .join('\n')}
</main>
<footer>Exported from ${escapeHtml(exportedWith)}</footer>
</body>
</html>
`
}

/** A turn begins with the person's words. */
function turnsOf(parts: readonly Part[]): Part[][] {
  const turns: Part[][] = []
  for (const part of parts) {
    const last = turns.at(-1)
    if (last === undefined || (part.kind === 'user' && !part.joined)) turns.push([part])
    else last.push(part)
  }
  return turns
}

function partHtml(part: Part, lex: Lex): string {
  switch (part.kind) {
    case 'user':
      return `<article class="user"><h2>You${part.joined ? ' <small>meanwhile</small>' : ''} <time>${escapeHtml(clock(part.time))}</time></h2><div class="words">${escapeHtml(part.text.trim())}</div></article>`
    case 'assistant': {
      const reasoning =
        part.reasoning === ''
          ? ''
          : `<details class="reasoning"><summary>Reasoning</summary><div class="words">${escapeHtml(part.reasoning.trim())}</div></details>`
      const cut = part.partial ? '<p class="note">cut short</p>' : ''
      return `<article class="answer">${reasoning}${markdownHtml(part.text, lex)}${cut}</article>`
    }
    case 'call':
      return callHtml(part, lex)
    case 'remark':
      return `<p class="remark ${part.level}">${escapeHtml(part.text)}</p>`
    case 'turn-end': {
      const calls = part.calls === 1 ? '1 call' : `${part.calls} calls`
      const ended = part.ended === 'final_answer' ? '' : `ended: ${escapeHtml(part.ended)} · `
      return `<p class="end">${ended}${durationText(part.durationMs)} · ${calls}</p>`
    }
  }
}

/** Failures and changes are open, the rest is one line. */
function callHtml(part: CallPart, lex: Lex): string {
  const { tool, title, status, summary, decision, durationMs, blocks } = part
  const open = status !== 'done' || blocks.some(({ type }) => type === 'diff') ? ' open' : ''
  const subject = title.toLowerCase().startsWith(tool.toLowerCase()) ? title.slice(tool.length).trim() : title
  const state = status === 'done' ? summary : status === 'open' ? 'no result' : `${status}: ${summary}`
  const notes = [state, decision, durationMs !== null && durationMs >= 1000 ? durationText(durationMs) : '']
  return `<details class="call ${status}"${open}><summary><b>${escapeHtml(tool)}</b> <code>${escapeHtml(subject)}</code> <span>${escapeHtml(notes.filter((note) => note !== '').join(' · '))}</span></summary>${blocks.map((block) => blockHtml(block, lex)).join('')}</details>`
}

function blockHtml(block: Block, lex: Lex): string {
  switch (block.type) {
    case 'markdown':
      return markdownHtml(block.text, lex)
    case 'text':
    case 'code':
      return pre(block.text)
    case 'output':
      return (
        pre(block.text) + (block.omittedBytes ? `<p class="note">${block.omittedBytes} bytes were left out</p>` : '')
      )
    case 'error':
      return pre(block.text, 'failure')
    case 'command':
      return pre(block.command, 'command')
    case 'diff':
      return diffHtml(block.diff)
    case 'files':
      return `<ul>${block.paths.map((path) => `<li><code>${escapeHtml(path)}</code></li>`).join('')}</ul>`
    case 'todo':
      return `<ul class="plan">${block.items.map(({ text, status }) => `<li class="${escapeHtml(status)}">${escapeHtml(text)}</li>`).join('')}</ul>`
    case 'question':
      return `<blockquote>${escapeHtml(block.question)}${block.answer === undefined ? '' : `<p><strong>${escapeHtml(block.answer)}</strong></p>`}</blockquote>`
  }
}

function pre(text: string, kind = ''): string {
  if (text.trim() === '') return ''
  return `<pre${kind === '' ? '' : ` class="${kind}"`}><code>${escapeHtml(text.replace(/\n+$/, ''))}</code></pre>`
}

const signs = { context: ' ', add: '+', del: '−' }

function diffHtml({ path, additions, deletions, hunks, note }: FileDiff): string {
  const rows = hunks.map(({ lines, section, newStart }) => {
    const head = `<tr class="hunk"><td colspan="3">@@ line ${newStart}${section ? ` · ${escapeHtml(section)}` : ''}</td></tr>`
    return (
      head +
      lines
        .map(
          ({ kind, text, oldLine, newLine }) =>
            `<tr class="${kind}"><td>${newLine ?? oldLine ?? ''}</td><td>${signs[kind]}</td><td>${escapeHtml(text)}</td></tr>`,
        )
        .join('')
    )
  })
  const remark = note ? `<p class="note">${escapeHtml(note)}</p>` : ''
  return `<figure><figcaption><code>${escapeHtml(path)}</code> <ins>+${additions}</ins> <del>−${deletions}</del></figcaption>${remark}<table class="diff">${rows.join('')}</table></figure>`
}

/** `2026-11-30 12:01` of the record's own time. */
function clock(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}
