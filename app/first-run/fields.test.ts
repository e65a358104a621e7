import { describe, expect, test } from 'vitest'
import { readBaseUrl, readKey, readModelName } from './fields.ts'

describe('a key', () => {
  test.each([
    ['sk-1', 'sk-1'],
    ['  sk-1\n', 'sk-1'],
    ['"sk-1"', 'sk-1'],
    ['export OPENAI_API_KEY=sk-1', 'sk-1'],
    ["OPENAI_API_KEY = 'sk-1' ", 'sk-1'],
  ])('%j is read as %j', (text, value) => {
    expect(readKey(text)).toEqual({ value })
  })

  test.each([
    ['', 'There is no key yet: paste or type it.'],
    [' ""', 'There is no key yet: paste or type it.'],
    ['sk-1 sk-2', 'A key is one word of plain letters, digits and signs: copy it anew, without blanks.'],
    ['schlüssel', 'A key is one word of plain letters, digits and signs: copy it anew, without blanks.'],
    ['https://api.openai.com', 'This is an address, not a key: go back and choose "point at a base URL".'],
    ['sk-ant-api03-x', 'This is a key of Anthropic, whose adapter is not in this version: an OpenAI key works.'],
  ])('%j is refused', (text, problem) => {
    expect(readKey(text)).toEqual({ problem })
  })
})

describe('a base URL', () => {
  test.each([
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    [' HTTP://LocalHost:1234/v1/ ', 'http://localhost:1234/v1'],
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/models/', 'https://api.example.com/v1'],
    ['"http://[::1]:8080/v1"', 'http://[::1]:8080/v1'],
  ])('%j is read as %j', (text, value) => {
    expect(readBaseUrl(text)).toEqual({ value })
  })

  test.each([
    ['', 'There is no address yet: type one such as http://127.0.0.1:11434/v1.'],
    ['localhost:1234/v1', 'A base URL begins with http:// or https://. Did you mean http://localhost:1234/v1?'],
    ['ftp://host/v1', 'A base URL begins with http:// or https://. Did you mean http://host/v1?'],
    ['what is this', 'A base URL begins with http:// or https://.'],
    ['http://', 'This is no web address: write it like http://127.0.0.1:11434/v1.'],
    ['http://a b/v1', 'This is no web address: write it like http://127.0.0.1:11434/v1.'],
    [
      'https://ada:secret@host/v1',
      'Leave name and password out of the address; a key is asked for when the server wants one.',
    ],
    ['https://host/v1?key=1', 'A base URL ends before any ? or #: leave the rest out.'],
  ])('%j is refused', (text, problem) => {
    expect(readBaseUrl(text)).toEqual({ problem })
  })
})

test('a model needs a name', () => {
  expect(readModelName(' qwen3:8b ')).toEqual({ value: 'qwen3:8b' })
  expect(readModelName('  ')).toEqual({
    problem: 'There is no name yet: type the name that the server gives its model.',
  })
})
