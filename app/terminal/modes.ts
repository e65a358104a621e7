/** Terminal modes that we switch ourselves (Ink has the alternate screen, the cursor, raw mode and bracketed paste). */

export type KeyboardProtocol = 'kitty' | 'other-keys'

export interface TerminalModes {
  /** Switches on what is wanted. Call it when the alternate screen is shown: keyboard protocols are kept per screen. */
  enter(): void
  /** Switches everything off again, before the alternate screen is left. */
  leave(): void
  /** Wheel reports; while they are on, terminals select text only with Shift held. */
  setMouse(on: boolean): void
  /** What the terminal was found to speak. */
  setKeyboard(protocol: KeyboardProtocol): void
}

export function createTerminalModes(write: (data: string) => void, mouse: boolean): TerminalModes {
  let entered = false
  let wheel = mouse
  let keyboard: KeyboardProtocol | null = null
  return {
    enter() {
      if (entered) return
      entered = true
      write(focus.on + (wheel ? wheelReports.on : '') + (keyboard === null ? '' : keyboards[keyboard].on))
    },
    leave() {
      if (!entered) return
      entered = false
      write((keyboard === null ? '' : keyboards[keyboard].off) + wheelReports.off + focus.off)
    },
    setMouse(on) {
      if (on === wheel) return
      wheel = on
      if (entered) write(on ? wheelReports.on : wheelReports.off)
    },
    setKeyboard(protocol) {
      if (protocol === keyboard) return
      const before = keyboard
      keyboard = protocol
      if (entered) write((before === null ? '' : keyboards[before].off) + keyboards[protocol].on)
    },
  }
}

/**
 * Everything that this process may have switched on, switched off; harmless where it was not. Keyboard protocols are kept per
 * screen, so theirs comes first and only where the own screen is still shown: the shell's must not be touched.
 */
export const restoreSequences = {
  beforeUnmount: '\x1b[<u',
  afterUnmount:
    '\x1b[?1006l\x1b[?1002l\x1b[?1000l' + // mouse
    '\x1b[?1004l' + // focus reports
    '\x1b[?2004l' + // bracketed paste
    '\x1b[?2026l', // synchronized output, in case a frame was cut short
  alternateScreen: '\x1b[?1049l',
  last: '\x1b[?25h\x1b[0m',
}

const focus = { on: '\x1b[?1004h', off: '\x1b[?1004l' }
const wheelReports = { on: '\x1b[?1000h\x1b[?1006h', off: '\x1b[?1006l\x1b[?1000l' }
const keyboards = {
  // Only ambiguous keys are reported in the new way: text stays text.
  kitty: { on: '\x1b[>1u', off: '\x1b[<u' },
  'other-keys': { on: '\x1b[>4;1m', off: '\x1b[>4m' },
}
