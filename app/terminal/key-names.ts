/** Canonical key names: how a base key and its modifiers are written everywhere in the app. */
import type { Token } from './tokens.ts'

export type Modifiers = { ctrl: boolean; alt: boolean; shift: boolean; super: boolean }
export const noModifiers: Modifiers = { ctrl: false, alt: false, shift: false, super: false }

/** Modifiers from the number that xterm and kitty send: 1 plus a sum of bits. Lock keys are no modifiers. */
export function modifiersOf(parameter: number): Modifiers {
  const bits = Math.max(0, parameter - 1)
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0 || (bits & 32) !== 0,
    ctrl: (bits & 4) !== 0,
    super: (bits & 8) !== 0 || (bits & 16) !== 0,
  }
}

/** A key that has a name of its own: `up`, `return`, `f5`. */
export function namedKey(base: string, modifiers: Modifiers): Token {
  const text = base === 'space' && !modifiers.ctrl && !modifiers.alt && !modifiers.super ? ' ' : ''
  return { type: 'key', name: prefix(modifiers) + base, text }
}

/** A key that types `char`; `shifted` is what it types with shift, when the terminal told. */
export function characterKey(char: string, modifiers: Modifiers, shifted?: string): Token {
  if (char === ' ') return namedKey('space', modifiers)
  const plain = !modifiers.ctrl && !modifiers.super
  if (plain) {
    // Shift is already in the character: `A`, `?`, `alt+B`.
    const typed = modifiers.shift ? (shifted ?? char.toUpperCase()) : char
    if (modifiers.alt) return { type: 'key', name: `alt+${typed}`, text: '' }
    return { type: 'key', name: typed, text: typed }
  }
  const base = char.toLowerCase()
  // Both are how people reach undo; terminals without a protocol send the same byte for them.
  if (modifiers.ctrl && modifiers.shift && base === '-') return namedKey('_', { ...modifiers, shift: false })
  return { type: 'key', name: prefix(modifiers) + base, text: '' }
}

/** A control character: what Ctrl with a key sends without a protocol. */
export function controlKey(code: number, alt: boolean): Token {
  const modifiers = { ...noModifiers, alt }
  switch (code) {
    case 0x0d:
      return namedKey('return', modifiers)
    case 0x09:
      return namedKey('tab', modifiers)
    case 0x08:
    case 0x7f:
      return namedKey('backspace', modifiers)
    case 0x1b:
      return namedKey('escape', modifiers)
    case 0x00:
      return namedKey('space', { ...modifiers, ctrl: true })
    default:
      return namedKey(String.fromCharCode(code < 27 ? code + 96 : code + 64), { ...modifiers, ctrl: true })
  }
}

/**
 * A key as a person writes it in a config, in canonical form: `Ctrl+Enter` → `ctrl+return`, `ctrl+x  A` → `ctrl+x A`.
 * Null when it is no key.
 */
export function normalizeKey(written: string): string | null {
  const steps = written.trim() === '' ? [] : written.trim().split(/\s+/)
  if (steps.length === 0 || steps.length > 2) return null
  const names: string[] = []
  for (const step of steps) {
    const name = normalizeStep(step)
    if (name === null) return null
    names.push(name)
  }
  return names.join(' ')
}

function normalizeStep(step: string): string | null {
  const found = /^((?:[A-Za-z]+\+)*)(.+)$/u.exec(step)
  if (found === null) return null
  const modifiers = { ...noModifiers }
  for (const word of (found[1] ?? '').toLowerCase().split('+')) {
    if (word === '') continue
    const modifier = modifierWords[word]
    if (modifier === undefined) return null
    modifiers[modifier] = true
  }
  const key = found[2] ?? ''
  const lower = key.toLowerCase()
  const named = aliases[lower] ?? lower
  if (names.has(named) || /^f([1-9]|1\d|2[0-4])$/.test(named)) return prefix(modifiers) + named
  if ([...key].length !== 1) return null
  const token = characterKey(key, modifiers)
  return token.type === 'key' ? token.name : null
}

function prefix(modifiers: Modifiers): string {
  return (
    (modifiers.ctrl ? 'ctrl+' : '') +
    (modifiers.alt ? 'alt+' : '') +
    (modifiers.shift ? 'shift+' : '') +
    (modifiers.super ? 'super+' : '')
  )
}

const modifierWords: Record<string, keyof Modifiers> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'alt',
  option: 'alt',
  opt: 'alt',
  meta: 'alt',
  shift: 'shift',
  super: 'super',
  cmd: 'super',
  command: 'super',
  win: 'super',
}

const aliases: Record<string, string> = {
  enter: 'return',
  cr: 'return',
  esc: 'escape',
  del: 'delete',
  ins: 'insert',
  bs: 'backspace',
  pgup: 'pageup',
  pgdn: 'pagedown',
  pgdown: 'pagedown',
  spc: 'space',
}

const names = new Set([
  'return',
  'escape',
  'tab',
  'space',
  'backspace',
  'delete',
  'insert',
  'home',
  'end',
  'pageup',
  'pagedown',
  'up',
  'down',
  'left',
  'right',
  'clear',
])
