import type { Decision, PermissionMode, SessionHandle } from '@sluice/engine/protocol'
import { AgentError } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { defaultKeys } from '../keymap.ts'
import { codeBlocks } from './copy.ts'
import { type Command, type CommandContext, commands, runCommand, type SessionUsage } from './index.ts'

type Bench = { context: CommandContext; said: string[]; done: string[] }

const spent: SessionUsage = {
  inputTokens: 18_200,
  outputTokens: 1_500,
  totalTokens: 19_700,
  cachedInputTokens: 12_000,
  costUsd: 0.42,
  replies: 3,
  estimated: false,
}

/** A session that writes down what is asked of it. */
function bench(extra: Partial<CommandContext> = {}): Bench {
  const said: string[] = []
  const done: string[] = []
  const session: SessionHandle = {
    id: 's1',
    cwd: '/project',
    subscribe: () => () => {},
    send: (input) => done.push(`send ${input}`),
    unqueue: () => null,
    interrupt: () => done.push('interrupt'),
    answer: (_id: string, _decision: Decision) => false,
    setMode: (mode: PermissionMode) => done.push(`mode ${mode}`),
    setModel: (model) => {
      if (model === 'nonsense') throw new AgentError('MODEL_NOT_FOUND', 'there is no model "nonsense"')
      done.push(`model ${model}`)
    },
    setTitle: (title) => done.push(`title ${title}`),
    clear: () => done.push('clear'),
    notice: () => {},
    close: async () => {},
  }
  const context: CommandContext = {
    session,
    table: defaultKeys,
    commands,
    notice: (text, level) => said.push(level === 'warn' ? `! ${text}` : text),
    openOverlay: (name, argument) => done.push(`overlay ${name}${argument ? ` ${argument}` : ''}`) > 0,
    quit: () => done.push('quit'),
    sessions: {
      open: async (prompt) => void done.push(`new ${prompt}`),
      close: async () => void done.push('close'),
      async resume(words, where) {
        done.push(`resume ${words}${where === undefined ? '' : ` ${where}`}`)
        if (words.startsWith('many of them')) return 'unclear'
        if (words.startsWith('the other') && where === undefined) return 'unclear'
        return words === 's_other' && where === undefined ? { id: words, folder: '/other', gone: false } : 'done'
      },
      rename: async (title) => void done.push(`rename ${title}`),
      fork: async (prompt) => (done.push(`fork ${prompt}`) > 0 && prompt === 'no' ? 'it cannot be forked' : null),
    },
    rewind: { undo: async () => (done.push('undo') > 0 ? null : '') },
    running: () => false,
    mode: () => 'default',
    model: () => 'gpt-5.2',
    models: () => [{ name: 'gpt-5.2' }, { name: 'qwen3:8b', note: 'local' }],
    usage: () => spent,
    lastAnswer: () => 'Do this:\n```sh\nnpm test\n```\nand\n~~~\na\n```\nb\n~~~',
    copy: async (text) => ({ ok: true, text: `copied ${JSON.stringify(text)}` }),
    mouse: () => true,
    setMouse: (on) => done.push(`mouse ${on}`),
    ...extra,
  }
  return { context, said, done }
}

async function run(line: string, extra: Partial<CommandContext> = {}) {
  const { context, said, done } = bench(extra)
  const outcome = runCommand(line, context)
  await outcome.done
  return { handled: outcome.handled, said, done }
}

describe('what is a command', () => {
  test.each<[string, boolean]>([
    ['/help', true],
    ['/help ', true],
    ['/HELP', true],
    ['/nonsense', true],
    ['/', true],
    ['/model gpt-5.2', true],
    ['/mcp__server__prompt x', true],
    ['/usr/bin/env is missing', false],
    ['/etc/hosts', false],
    [' /help', false],
    ['help', false],
    ['!ls', false],
    ['/ what', false],
    ['/2', false],
    ['// a comment', false],
  ])('%s: %s', async (line, handled) => {
    expect((await run(line)).handled).toBe(handled)
  })

  test('one that is not known never goes on, and names near ones', async () => {
    const outcome = await run('/modl')
    expect(outcome).toEqual({
      handled: true,
      done: [],
      said: ['! There is no command /modl. Did you mean /mode or /model?'],
    })
  })

  test.each([
    ['/halp', '/help'],
    ['/eixt', '/exit'],
    ['/cle', '/clear'],
    ['/quitt', '/exit'],
  ])('%s is near %s', async (line, near) => {
    expect((await run(line)).said[0]).toContain(`Did you mean ${near}?`)
  })

  test('what is near nothing is told where to look', async () => {
    expect((await run('/zebra')).said).toEqual(['! There is no command /zebra. Type / to see all commands.'])
  })

  test('one that throws becomes a notice', async () => {
    const broken: Command = {
      name: 'broken',
      description: 'always fails',
      run() {
        throw new Error('no luck')
      },
    }
    expect((await run('/broken', { commands: [broken] })).said).toEqual(['! /broken failed: no luck'])
  })
})

describe('the commands', () => {
  test('have names of their own, and a description', () => {
    const names = commands.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])])
    expect(names).toEqual([...new Set(names)])
    for (const { description } of commands) expect(description).not.toBe('')
  })

  test.each<[string, string[], (string | RegExp)[]]>([
    ['/help', ['overlay help'], []],
    ['/keys paste', ['overlay help paste'], []],
    ['/exit', ['quit'], []],
    ['/quit', ['quit'], []],
    ['/clear', ['clear'], []],
    ['/model', ['overlay model'], []],
    ['/model qwen3:8b', ['model qwen3:8b'], ['The next call goes to qwen3:8b.']],
    ['/model nonsense', [], ['! /model failed: there is no model "nonsense"']],
    ['/mode plan', ['mode plan'], [/^plan: nothing is changed/]],
    ['/mode acc', ['mode accept-edits'], [/^accept-edits/]],
    ['/mode wild', [], ['! There is no mode "wild"; there are default, accept-edits, plan, yolo.']],
    ['/mode', [], [/^\* default/]],
    ['/copy 1', [], ['copied "npm test"']],
    ['/copy code', [], ['copied "a\\n```\\nb"']],
    ['/copy 5', [], ['! The last answer has 2 code block(s), so there is no 5.']],
    ['/sessions', ['overlay sessions'], []],
    ['/resume', ['overlay resume'], []],
    ['/resume zod', ['resume zod'], []],
    ['/resume many of them', ['resume many of them', 'overlay resume many of them'], []],
    ['/resume s_other', ['resume s_other', 'overlay resume s_other'], []],
    ['/resume s_other there', ['resume s_other there'], []],
    ['/resume stay here', ['resume stay here'], []],
    ['/resume the other  there', ['resume the other  there', 'resume the other there'], []],
    ['/resume the other here', ['resume the other here', 'resume the other here'], []],
    [
      '/resume many of them here',
      ['resume many of them here', 'resume many of them here', 'overlay resume many of them'],
      [],
    ],
    ['/rename Port  to zod', ['rename Port to zod'], ['This session is called “Port to zod” now.']],
    ['/rename', [], ['! Write the title behind it: /rename Port the config to zod']],
    ['/mouse', ['mouse false'], [/selected as usual/]],
    ['/mouse on', ['mouse true'], [/hold shift/]],
    ['/mouse maybe', [], ['! "maybe" is neither on nor off.']],
    [
      '/cost',
      [],
      ['3 replies by gpt-5.2\nin    18,200 tokens (12,000 of them cached)\nout   1,500 tokens\ncost  $0.42'],
    ],
  ])('%s', async (line, done, said) => {
    const outcome = await run(line)
    expect(outcome.done).toEqual(done)
    expect(outcome.said).toEqual(said.map((text) => (text instanceof RegExp ? expect.stringMatching(text) : text)))
  })

  test('/clear waits for the turn to end', async () => {
    const outcome = await run('/clear', { running: () => true })
    expect(outcome.done).toEqual([])
    expect(outcome.said[0]).toContain('A turn is running')
  })

  test('/cost says when it does not know', async () => {
    const unknown = { ...spent, costUsd: null, estimated: true, cachedInputTokens: 0 }
    expect((await run('/cost', { usage: () => unknown })).said[0]).toMatch(/no price is known.*\n.*estimates/)
    expect((await run('/cost', { usage: () => ({ ...unknown, replies: 0 }) })).said[0]).toMatch(/nothing was spent/)
  })

  test('/copy has nothing to copy at first', async () => {
    expect((await run('/copy', { lastAnswer: () => null })).said).toEqual(['! There is no answer to copy yet.'])
  })

  test('without overlays, help and keys are text', async () => {
    const openOverlay = () => false
    expect((await run('/help', { openOverlay })).said[0]).toContain('/clear')
    expect((await run('/keys undo', { openOverlay })).said[0]).toContain('ctrl+_')
    expect((await run('/model', { openOverlay })).said[0]).toContain('qwen3:8b  local')
  })
})

test('an unclosed code block reaches to the end', () => {
  expect(codeBlocks('```ts\nconst a = 1')).toEqual(['const a = 1'])
  expect(codeBlocks('a ``` b ``` c')).toEqual([])
})

describe('/theme', () => {
  const themes = (chosen: string[], colors = true) => ({
    themes: {
      chosen: () => 'auto' as const,
      shown: () => 'light',
      colors: () => colors,
      choose: (name: string) => void chosen.push(name),
      configFile: '/home/ada/config.jsonc',
    },
  })

  test('lists what there is, and says how a choice is kept', async () => {
    const { said } = await run('/theme', themes([]))
    expect(said[0]).toContain('* auto           dark or light as the background is')
    expect(said[0]).toContain('(now: light)')
    expect(said[0]).toContain('  color-blind    blue and orange')
    expect(said[0]).toContain('write "theme": "auto" into /home/ada/config.jsonc')
  })

  test.each([
    ['/theme light', 'light'],
    ['/theme Colour-Blind', 'color-blind'],
    ['/theme high', 'high-contrast'],
  ])('%s switches at once', async (line, name) => {
    const chosen: string[] = []
    const { said } = await run(line, themes(chosen))
    expect(chosen).toEqual([name])
    expect(said).toEqual([`The theme is ${name}. To keep it, write "theme": "${name}" into /home/ada/config.jsonc.`])
  })

  test('names what there is when the name is none, and says when colours are off', async () => {
    const chosen: string[] = []
    expect((await run('/theme solarized', themes(chosen))).said).toEqual([
      '! There is no theme "solarized"; there are auto, dark, light, ansi, high-contrast, color-blind.',
    ])
    expect(chosen).toEqual([])
    expect((await run('/theme dark', themes(chosen, false))).said[0]).toContain('Colours are off')
    expect((await run('/theme')).said).toEqual(['! There are no colours here.'])
  })
})

describe('/trust', () => {
  test('asks again while there is something to decide, and says so when there is not', async () => {
    expect(await run('/trust', { askTrust: () => true })).toMatchObject({ handled: true, said: [] })
    expect((await run('/trust', { askTrust: () => false })).said[0]).toContain('nothing to decide')
  })
})

describe('/rewind and /fork', () => {
  test.each([
    ['/rewind', ['overlay rewind'], []],
    ['/rewind undo', ['undo'], []],
    ['/rewind 3', [], ['! /rewind shows the turns to go back to; /rewind undo takes the last rewind back.']],
    ['/fork', ['fork '], []],
    ['/fork try it the other way', ['fork try it the other way'], []],
    ['/fork no', ['fork no'], ['! it cannot be forked']],
  ])('%s', async (line, done, said) => {
    expect(await run(line)).toEqual({ handled: true, done, said })
  })

  test('going back waits for the end of the turn, and where no list can be shown it is done by words', async () => {
    expect((await run('/rewind', { running: () => true })).said).toEqual([
      '! A turn is running. Interrupt it with esc, then /rewind.',
    ])
    const rewind = { undo: async () => 'there is none', spoken: async (words: string) => `heard ${words}` }
    expect((await run('/rewind 2 both', { rewind })).said).toEqual(['heard 2 both'])
    expect((await run('/rewind undo', { rewind: { undo: rewind.undo } })).said).toEqual(['! there is none'])
  })
})
