/** A row painted as one text looks as Ink paints a `<Text>` for each of its spans. */
import chalk from 'chalk'
import fc from 'fast-check'
import { renderToString, Text } from 'ink'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paintedText } from './painted.ts'
import type { StyledSpan } from './styled-row.ts'

const level = chalk.level
afterAll(() => {
  chalk.level = level
})

const color = fc.option(fc.constantFrom('red', 'blackBright', '#a0b1c2', 'ansi256(120)', 'nonsense', ''), {
  nil: undefined,
})
const flag = fc.option(fc.boolean(), { nil: undefined })
const span = fc
  .record({
    text: fc.constantFrom('a', 'two words', ' ', '│', '漢字', ''),
    color,
    backgroundColor: color,
    bold: flag,
    dim: flag,
    inverse: flag,
    italic: flag,
    underline: flag,
  })
  .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as StyledSpan)

describe.each([0, 1, 2, 3] as const)('with colour level %d', (level) => {
  beforeAll(() => {
    chalk.level = level
  })

  test('gives the same codes around the same text', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 4 }), (spans) => {
        const nested = renderToString(
          <Text>
            {spans.map(({ text, dim, ...look }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
              <Text key={i} dimColor={dim === true} {...look}>
                {text}
              </Text>
            ))}
          </Text>,
          { columns: 200 },
        )
        expect(renderToString(<Text>{paintedText(spans)}</Text>, { columns: 200 })).toBe(nested)
      }),
      { numRuns: 300 },
    )
  })
})
