/** The completion list of a draft: kept in step with the text, moved and closed by keys. */
import { actionOf, type KeyPress } from '@sluice/permissions-ui'
import { replaceRange } from './buffer.ts'
import { chooseCommands, chooseFiles, tokenAt } from './completion.ts'
import type { CompletionMenu, Draft, DraftWorld } from './draft.ts'

/** `submit` asks the caller to send the draft as it now is; `unused` leaves the key to the text. */
export function pressInMenu(
  draft: Draft,
  menu: CompletionMenu,
  press: KeyPress,
  world: DraftWorld,
): 'used' | 'unused' | 'submit' {
  const count = menu.choices.length
  switch (actionOf(world.table, 'completion', press)) {
    case 'next':
      draft.menu = { ...menu, selected: (menu.selected + 1) % count }
      return 'used'
    case 'previous':
      draft.menu = { ...menu, selected: (menu.selected - 1 + count) % count }
      return 'used'
    case 'close':
      draft.closedAt = menu.token.start
      closeMenu(draft)
      return 'used'
    case 'accept': {
      const choice = menu.choices[menu.selected]
      if (choice === undefined) return 'unused'
      const sends = actionOf(world.table, 'composer', press) === 'submit'
      // Typed to the end already: Enter sends it.
      if (sends && menu.token.kind === 'command' && draft.editor.text === choice.insert.trimEnd()) return 'unused'
      if (sends && menu.token.kind === 'file' && menu.token.query === choice.label) return 'unused'
      draft.editor = replaceRange(draft.editor, menu.token.start, menu.token.end, choice.insert)
      if (sends && choice.submits && draft.editor.text === choice.insert) return 'submit'
      updateMenu(draft, world)
      return 'used'
    }
    default:
      return 'unused'
  }
}

/** Call it after every change of the text or the caret. */
export function updateMenu(draft: Draft, world: DraftWorld): void {
  const { editor } = draft
  const token = draft.walk === null ? tokenAt(editor.text, editor.caret) : null
  if (token === null) {
    draft.closedAt = null
    closeMenu(draft)
    return
  }
  if (draft.closedAt === token.start) {
    closeMenu(draft)
    return
  }
  draft.closedAt = null
  if (token.kind === 'command') {
    stopLoading(draft)
    const choices = chooseCommands(world.commands, token.query)
    draft.menu = choices.length === 0 ? null : { token, choices, selected: 0, loading: false }
    return
  }
  if (world.completeFiles === undefined) {
    closeMenu(draft)
    return
  }
  stopLoading(draft)
  const controller = new AbortController()
  draft.loading = controller
  const kept = draft.menu?.token.kind === 'file' && draft.menu.token.start === token.start ? draft.menu.choices : []
  draft.menu = { token, choices: kept, selected: 0, loading: true }
  const deliver = (paths: readonly string[]) => {
    if (controller.signal.aborted) return
    draft.loading = null
    draft.menu = paths.length === 0 ? null : { token, choices: chooseFiles(paths), selected: 0, loading: false }
    world.repaint()
  }
  // A provider that fails completes nothing; the text itself is untouched.
  world.completeFiles(token.query, controller.signal).then(deliver, () => deliver([]))
}

export function closeMenu(draft: Draft): void {
  stopLoading(draft)
  draft.menu = null
}

function stopLoading(draft: Draft): void {
  draft.loading?.abort()
  draft.loading = null
}
