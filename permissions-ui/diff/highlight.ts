/** Syntax colours: languages are loaded when first wanted, and until then code is plain. */
import type { HLJSApi, LanguageFn } from 'highlight.js'
import { useSyncExternalStore } from 'react'
import type { Theme } from '../theme.ts'

export type CodeScope = keyof Theme['code']
/** `scope` is absent for what has no colour of its own. */
export type CodeSpan = { text: string; scope?: CodeScope }

/** The language of a file by its name, for `highlightLines`; undefined when we know none. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return byName[name] ?? byExtension[name.slice(name.lastIndexOf('.') + 1)]
}

/** The language that a fenced block calls `name`; undefined when we know none. */
export function languageNamed(name: string): string | undefined {
  const key = name.toLowerCase()
  return key in loaders ? key : byExtension[key]
}

/**
 * Coloured spans for each of `lines`, which are read as one text. Null while the language is being loaded, when there is none,
 * or when the text is too long to be worth it; `useHighlighter` renders again once it has come.
 */
export function highlightLines(lines: readonly string[], language: string | undefined): CodeSpan[][] | null {
  if (language === undefined || !(language in loaders)) return null
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  if (length > longestText || lines.some((line) => line.length > longestLine)) return null
  if (!core?.getLanguage(language)) {
    void load(language)
    return null
  }
  return colour(core, lines, language)
}

/** Loads a language; resolves when it can be used, also when that failed (the code stays plain then). */
export function loadHighlighter(language: string): Promise<void> {
  return load(language)
}

/** Rises with every language that has come; a component that uses it renders again then. */
export function useHighlighter(): number {
  return useSyncExternalStore(subscribeHighlighter, highlighterVersion, highlighterVersion)
}

export function highlighterVersion(): number {
  return version
}

/** Calls back after every language that has come. */
export function subscribeHighlighter(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const longestText = 100_000
const longestLine = 1_000

const loaders: Record<string, () => Promise<{ default: LanguageFn }>> = {
  typescript: () => import('highlight.js/lib/languages/typescript'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  python: () => import('highlight.js/lib/languages/python'),
  rust: () => import('highlight.js/lib/languages/rust'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  php: () => import('highlight.js/lib/languages/php'),
  bash: () => import('highlight.js/lib/languages/bash'),
  css: () => import('highlight.js/lib/languages/css'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
  ini: () => import('highlight.js/lib/languages/ini'),
  sql: () => import('highlight.js/lib/languages/sql'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  swift: () => import('highlight.js/lib/languages/swift'),
}

const byName: Record<string, string> = { '.bashrc': 'bash', '.profile': 'bash', 'cargo.lock': 'ini' }
const byExtension: Record<string, string> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  json: 'json',
  jsonc: 'json',
  jsonl: 'json',
  py: 'python',
  pyi: 'python',
  rs: 'rust',
  go: 'go',
  java: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  php: 'php',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  shell: 'bash',
  css: 'css',
  scss: 'css',
  html: 'xml',
  htm: 'xml',
  xml: 'xml',
  svg: 'xml',
  vue: 'xml',
  yml: 'yaml',
  yaml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  cfg: 'ini',
  sql: 'sql',
  kt: 'kotlin',
  kts: 'kotlin',
  swift: 'swift',
}

let core: HLJSApi | undefined
let version = 0
const listeners = new Set<() => void>()
const loading = new Map<string, Promise<void>>()

function load(language: string): Promise<void> {
  const known = loading.get(language)
  if (known) return known
  const started = fetchLanguage(language)
  loading.set(language, started)
  return started
}

async function fetchLanguage(language: string): Promise<void> {
  const loader = loaders[language]
  if (!loader) return
  try {
    const [api, definition] = await Promise.all([import('highlight.js/lib/core'), loader()])
    core = api.default
    core.registerLanguage(language, definition.default)
  } catch {
    // Colours are a comfort: without them the code is still all there.
    return
  }
  version++
  for (const listener of listeners) listener()
}

type Node = { scope?: string; children: (Node | string)[] }

function colour(api: HLJSApi, lines: readonly string[], language: string): CodeSpan[][] | null {
  const result = api.highlight(lines.join('\n'), { language, ignoreIllegals: true })
  const root = (result._emitter as unknown as { rootNode?: Node }).rootNode
  if (!root) return null
  const out: CodeSpan[][] = [[]]
  const visit = (node: Node, inherited: CodeScope | undefined) => {
    const scope = scopeOf(node.scope) ?? inherited
    for (const child of node.children) {
      if (typeof child !== 'string') {
        visit(child, scope)
        continue
      }
      for (const [i, text] of child.split('\n').entries()) {
        if (i > 0) out.push([])
        if (text === '') continue
        const line = out[out.length - 1] ?? []
        const previous = line[line.length - 1]
        if (previous && previous.scope === scope) previous.text += text
        else line.push(scope === undefined ? { text } : { text, scope })
      }
    }
  }
  visit(root, undefined)
  return out.length === lines.length ? out : null
}

function scopeOf(name: string | undefined): CodeScope | undefined {
  if (name === undefined) return undefined
  return scopes[name] ?? scopes[name.split('.')[0] ?? '']
}

const scopes: Record<string, CodeScope> = {
  keyword: 'keyword',
  literal: 'keyword',
  'variable.language': 'keyword',
  'selector-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  symbol: 'string',
  char: 'string',
  number: 'number',
  comment: 'comment',
  doctag: 'comment',
  quote: 'comment',
  type: 'type',
  built_in: 'type',
  'title.class': 'type',
  class: 'type',
  tag: 'type',
  name: 'title',
  title: 'title',
  section: 'title',
  attr: 'title',
  attribute: 'title',
  property: 'title',
}
