/** A stored session as a document in one of the formats; secrets are taken out before anything is made of it. */
import type { SessionSummary } from '@sluice/engine/ports'
import type { AgentEvent } from '@sluice/engine/protocol'
import { conversationOf } from './conversation.ts'
import { toMarkdown } from './to-markdown.ts'

export type ExportSubject = {
  session: SessionSummary
  events: readonly AgentEvent[]
  /** Gives a copy without secrets; see the engine's redactor. */
  redact<T>(value: T): T
  exportedWith: string
}

export async function exportDocument(format: 'md' | 'json' | 'html', subject: ExportSubject): Promise<string> {
  const session = subject.redact(subject.session)
  const events = subject.events.map((event) => subject.redact(event))
  switch (format) {
    case 'json':
      return `${JSON.stringify({ session, records: events }, null, 1)}\n`
    case 'md':
      return toMarkdown(session, conversationOf(events))
    case 'html': {
      const [{ toHtml }, { Lexer }] = await Promise.all([import('./to-html.ts'), import('marked')])
      const lex = (text: string) => new Lexer({ gfm: true }).lex(text)
      return toHtml(session, conversationOf(events), lex, subject.exportedWith)
    }
  }
}
