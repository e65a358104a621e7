/** Takes the blanks from the end of a coloured line: the terminal would wrap them into rows of their own when it gets narrower. */

/** A line whose last words are followed by nothing but styles; a blank that has a background, an inversion or a line of its own stays. */
export function withoutBlankEnd(line: string): string {
  if (line.replaceAll(style, '').includes('\x1b')) return line
  const shows = new Set<string>()
  let kept = ''
  let end = ''
  for (const [part] of line.matchAll(/\x1b\[[\d;:]*m|[^\x1b]+/g)) {
    if (part.startsWith('\x1b')) {
      follow(shows, part.slice(2, -1))
      end += part
      continue
    }
    const words = shows.size > 0 ? part : part.replace(/ +$/, '')
    if (words !== '') {
      kept += end + words
      end = part.slice(words.length)
    } else end += part
  }
  return kept + end.replaceAll(/ +(?=\x1b|$)/g, '')
}

/** Keeps in `shows` what makes a blank visible: a background, an inversion, a line. */
function follow(shows: Set<string>, style: string): void {
  const codes = style.split(';')
  for (let at = 0; at < codes.length; at++) {
    const [code = '', kind] = (codes[at] ?? '').split(':')
    const number = Number(code)
    const color = number === 38 || number === 48
    if (number === 0) shows.clear()
    else if (number === 48 || (number >= 40 && number <= 47) || (number >= 100 && number <= 107))
      shows.add('background')
    else if (number === 49) shows.delete('background')
    else if (number === 7 || number === 9 || number === 53 || (number === 4 && kind !== '0')) shows.add(code)
    else if (number === 4 || number === 24) shows.delete('4')
    else if (number === 27 || number === 29) shows.delete(String(number - 20))
    else if (number === 55) shows.delete('53')
    if (color && kind === undefined) at += codes[at + 1] === '2' ? 4 : 2
  }
}

const style = /\x1b\[[\d;:]*m/g
