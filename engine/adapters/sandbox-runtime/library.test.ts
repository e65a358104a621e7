import { expect, it } from 'vitest'
import { plainHost } from './library.ts'

it.each([
  ['Registry.NPMjs.org', 'registry.npmjs.org'],
  ['2852039166', '169.254.169.254'],
  ['0x7f.1', '127.0.0.1'],
  ['example.org.', 'example.org'],
  ['::1', '[::1]'],
  ['[2001:DB8::1]', '[2001:db8::1]'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['', null],
  ['a.example/b', null],
  ['user@a.example', null],
  ['a.example\0.good.example', null],
  ['a b', null],
])('CVE-2025-66479: the host %j is compared and shown as %j', (given, plain) => {
  expect(plainHost(given)).toBe(plain)
})
