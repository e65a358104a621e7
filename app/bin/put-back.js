/** Puts the terminal back when the process that had it was killed in a way that it could not answer. */

// As in sluice.js: for Node 18, and without an import statement of a built-in module.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name)).default
const { spawnSync } = await builtin('node:child_process')
const { writeSync } = await builtin('node:fs')

/**
 * Remembers how the terminal is set now. The returned function sets it so again, and switches off what the app may have
 * switched on; it does nothing where the settings are still the same: then the app never had the terminal, or gave it back.
 */
export function rememberTerminal({ args, env, stdin, stdout }) {
  if (process.platform === 'win32' || !stdin.isTTY || !stdout.isTTY) return () => {}
  const before = settings()
  if (before === '') return () => {}
  return () => {
    if (settings() === before) return
    stty(before)
    if (env.TERM === 'dumb' || args.includes('--screen-reader')) return
    try {
      writeSync(1, args.includes('--inline') ? `\r\n${modesOff}${last}` : modesOff + alternateScreenOff + last)
    } catch {
      // The terminal is gone as well.
    }
  }
}

// What the app itself writes at its end (app/terminal/modes.ts).
const modesOff =
  '\x1b[<u\x1b[>4m' + // keyboard protocols, kept per screen: before the screen is left
  '\x1b[?1006l\x1b[?1002l\x1b[?1000l' + // mouse
  '\x1b[?1004l' + // focus reports
  '\x1b[?2004l' + // bracketed paste
  '\x1b[?2026l' // synchronized output
const alternateScreenOff = '\x1b[?1049l'
const last = '\x1b[?25h\x1b[0m'

/** As `stty` takes them; '' when there is no telling. */
function settings() {
  return stty('-g').trim()
}

function stty(argument) {
  return spawnSync('stty', [argument], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' }).stdout ?? ''
}
