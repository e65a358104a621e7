import { expect, test } from 'vitest'
import { readSessionsWords } from './sessions-args.ts'

const listUsage = 'sluice sessions list [--all | --cwd DIR | --trash] [--limit N] [--json]'

const read = (line: string, before = { json: false }) => readSessionsWords(line.split(' ').filter(Boolean), before)

test.each([
  ['', { action: 'list', rest: [], json: false, all: false }],
  ['list --all --limit 5 --json', { action: 'list', all: true, limit: 5, json: true }],
  ['search npm test --cwd /x', { action: 'search', rest: ['npm', 'test'], cwd: '/x' }],
  ['export s_1', { action: 'export', rest: ['s_1'], format: 'md' }],
  ['export s_1 --json', { format: 'json' }],
  ['export s_1 --format html -o out.html', { format: 'html', output: 'out.html' }],
  ['delete s_1 s_2 --yes', { rest: ['s_1', 's_2'], yes: true }],
  ['gc --dry-run', { action: 'gc', dryRun: true }],
  ['list --trash', { action: 'list', trash: true }],
  ['replay s_1 --speed 0.5', { action: 'replay', speed: 0.5 }],
  ['show --help', { help: true }],
])('"%s" is understood', (line, words) => {
  expect(read(line)).toMatchObject(words)
})

test('words that are empty name nothing', () => {
  expect(() => readSessionsWords(['show', ' '], { json: false })).toThrow('sessions show needs to know what.')
})

test('options before the word count too, but a folder there narrows nothing that is asked for all', () => {
  expect(readSessionsWords(['list', '--all'], { json: false, cwd: '/y' })).toMatchObject({ all: true, cwd: undefined })
  expect(readSessionsWords([], { json: true, cwd: '/y' })).toMatchObject({ action: 'list', json: true, cwd: '/y' })
})

test.each([
  ['lsit', 'sluice sessions has no "lsit".', 'Did you mean sluice sessions list?'],
  ['frobnicate', 'sluice sessions has no "frobnicate".', 'See sluice sessions --help.'],
  ['show', 'sessions show needs to know what.', 'Write: sluice sessions show ID [--json]'],
  ['list x y', '"x y" is not understood.', `Write: ${listUsage}`],
  ['list --yes', 'sessions list has no --yes.', `Write: ${listUsage}`],
  ['list --all --cwd /x', '--all and --cwd cannot both be.', `Write: ${listUsage}`],
  ['list --all --trash', '--all and --trash cannot both be.', `Write: ${listUsage}`],
  ['list --limit -1', '--limit cannot be "-1".', 'Give a whole number from 1 on.'],
  ['list --limit', '--limit needs a value.', 'See sluice sessions --help.'],
  ['export a --output --json', '--output needs a value.', 'See sluice sessions --help.'],
  ['list --limit 0', '--limit cannot be "0".', 'Give a whole number from 1 on.'],
  ['export a --format pdf', '--format cannot be "pdf".', 'Use one of: md, html, json.'],
  ['replay a --speed fast', '--speed cannot be "fast".', 'Give a number above 0.'],
  ['list --colour', "Unknown option '--colour'.", 'See sluice sessions --help.'],
])('"%s" is refused with the way to write it', (line, message, fix) => {
  expect(() => read(line)).toThrow(expect.objectContaining({ message, fix }))
})
