/** What arrives from a terminal, cut into meanings: keys, pastes, wheel and focus reports, replies to our questions. */

export type Reply =
  /** The terminal speaks the kitty keyboard protocol; `flags` are those in force. */
  | { kind: 'kitty'; flags: number }
  /** Answer to the device attributes question, which every terminal gives: it closes a round of questions. */
  | { kind: 'attributes' }
  /** Background colour, each part from 0 to 1. */
  | { kind: 'background'; red: number; green: number; blue: number }

export type Token =
  /** `name` and `text` as in KeyPress; `repeat` marks a key that is held down. */
  | { type: 'key'; name: string; text: string; repeat?: boolean }
  /** Line breaks are `\n`; otherwise exactly what was pasted. */
  | { type: 'paste'; text: string }
  /** One notch of the wheel; the cell counts from 0. */
  | { type: 'wheel'; direction: 'up' | 'down'; x: number; y: number }
  | { type: 'focus'; focused: boolean }
  | { type: 'reply'; reply: Reply }
