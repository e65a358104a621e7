import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ask, say } from '../../../fixtures/canned-model.ts'
import {
  editing,
  removeReviewFolders,
  reviewEdited,
  reviewText,
  turn,
  withDebt,
} from '../../../fixtures/review-world.ts'
import { showScreen } from '../../../fixtures/screen/show-screen.tsx'
import { createStore } from '../../state/index.ts'
import { DebtOverlay } from './DebtOverlay.tsx'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  removeReviewFolders()
})

/** A session that edited a file in three places and wrote another one, without asking. */
async function review(columns = 80, rows = 24, drift?: (text: string) => string) {
  const write = ask('w', ['write_file', { path: 'new.txt', content: 'new\n' }])
  const world = await withDebt(editing(write, say('done'), say('I see')))
  if (drift) writeFileSync(join(world.at.cwd, 'a.txt'), drift(reviewEdited))
  const store = createStore()
  const shown = world.events.map((event) => ({ ...event, time: '2026-11-30T12:00:00.000Z' }))
  world.session.subscribe((event) => store.dispatch(event))
  const screen = await showScreen(columns, rows, shown, {
    store,
    renderOverlay: (overlay, size) =>
      overlay.name !== 'review' ? null : (
        <DebtOverlay
          {...size}
          store={store}
          debt={world.session.debt}
          onClose={() => store.dispatch({ type: 'ui_overlay', overlay: null })}
          // Five minutes after it was applied, whenever that was.
          clock={() => Date.parse(world.session.debt.list()[0]?.time ?? '') + 300_000}
        />
      ),
  })
  closing.push(screen.unmount, world.close)
  const show = async () => {
    store.dispatch({ type: 'ui_overlay', overlay: { name: 'review' } })
    await screen.settled()
  }
  await show()
  return { ...screen, ...world, store, show }
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 450))

describe('the review of what was applied unseen', () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 36],
  ])('at %i×%i shows a change with its hunks, and what cannot be taken back', async (columns, rows) => {
    const golden = (name: string) => `../../../fixtures/golden/review-debt/${name}-${columns}x${rows}.txt`
    // The header names the folder, which is another one each time.
    const own = (screen: string) => (rows < 16 ? screen : screen.split('\n').slice(2).join('\n'))
    const screen = await review(columns, rows)
    await screen.press(']', 'space')
    await expect(own(screen.screen())).toMatchFileSnapshot(golden('change'))
    const drifted = await review(columns, rows, (text) => `mine\n${text.replace('thirty\n', 'dreißig\n')}`)
    await drifted.until((now) => now.includes('The file changed since'))
    await drifted.press(']', 'space')
    await expect(own(drifted.screen())).toMatchFileSnapshot(golden('drifted'))
    for (const line of drifted.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  })

  test('takes one hunk back, goes on to the next change, and undoes it', async () => {
    const screen = await review()
    await screen.press(']', 'space')
    expect(screen.screen()).toContain('y keep 2 of 3, take 1 back')
    await screen.press('y')
    expect(screen.screen()).toContain('That came too soon')
    await quiet()
    await screen.press('y')
    await screen.until((now) => now.includes('Took 1 of 3 hunks of a.txt back.'))
    expect(screen.file()).toBe(reviewEdited.replace('thirty\n', 'line 30\n'))
    expect(screen.screen()).toContain('write_file  new.txt')
    await screen.press('u')
    await screen.until((now) => now.includes('Put back: a.txt waits for a look again.'))
    expect(screen.file()).toBe(reviewEdited)
    await screen.press('escape')
    expect(screen.screen()).not.toContain('write_file  new.txt')
  })

  test('walks between the changes and keeps their marks; a no takes all back, with words for the model', async () => {
    const screen = await review()
    await screen.press('space', '}')
    expect(screen.screen()).toContain('change 2 of 2')
    await screen.press('{')
    expect(screen.screen()).toContain('y keep 2 of 3, take 1 back')
    await quiet()
    await screen.press('n')
    await screen.type('numbers, please')
    expect(screen.screen()).toContain('take it back, because: numbers, please')
    await screen.press('return')
    await screen.until((now) => now.includes('Took a.txt back.'))
    expect(screen.file()).toBe(reviewText)
    await turn(screen.session, 'go on')
    expect(
      screen.model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n'),
    ).toContain('numbers, please')
  })

  test('what changed since cannot be left out, and the rest is taken back around it', async () => {
    const screen = await review(80, 24, (text) => `mine\n${text.replace('thirty\n', 'dreißig\n')}`)
    await screen.until((now) => now.includes('1 hunk cannot be taken back'))
    await screen.press(']', 'space')
    expect(screen.screen()).toContain('Hunk 2 cannot be taken back: the lines it made are not there any more.')
    await screen.press('a')
    expect(screen.screen()).toContain('Hunk 2 cannot be taken back')
    await quiet()
    await screen.press('y')
    await screen.until((now) => now.includes('Took 2 of 3 hunks of a.txt back.'))
    expect(screen.file()).toBe(`mine\n${reviewText.replace('line 30\n', 'dreißig\n')}`)
  })

  test('a file that changes while one looks is never written over', async () => {
    const screen = await review()
    await screen.press('space')
    writeFileSync(join(screen.at.cwd, 'a.txt'), reviewEdited.replace('five\n', 'mine\n'))
    await quiet()
    await screen.press('y')
    await screen.until((now) => now.includes('what cannot be taken back is marked'))
    expect(screen.file()).toBe(reviewEdited.replace('five\n', 'mine\n'))
    expect(screen.session.debt.list()).toHaveLength(2)
  })

  test('single lines are taken back, and u undoes a mark before an answer', async () => {
    const screen = await review()
    await screen.press('down', 'down', 'down', 'down', 'space')
    expect(screen.screen()).toContain('[~]')
    await screen.press('u')
    expect(screen.screen()).not.toContain('[~]')
    await screen.press('space')
    await quiet()
    await screen.press('y')
    await screen.until((now) => now.includes('Took 1 of 3 hunks of a.txt back.'))
    expect(screen.file()).toBe(reviewEdited.replace('five\n', 'line 5\nfive\n'))
  })

  test('comments on lines go to the model', async () => {
    const screen = await review()
    await screen.press('c')
    await screen.type('why')
    await screen.press('return')
    expect(screen.screen()).toContain('you: why')
    await quiet()
    await screen.press('y')
    await screen.until((now) => now.includes('Kept a.txt.'))
    await turn(screen.session, 'go on')
    expect(
      screen.model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n'),
    ).toContain('a.txt:5 `five`: why')
  })

  test('says so when everything was looked at, and what can be undone', async () => {
    const screen = await review()
    for (let i = 0; i < 2; i++) {
      await quiet()
      await screen.press('y')
      await screen.until((now) => now.includes(i === 0 ? 'Kept a.txt.' : 'Kept new.txt.'))
    }
    expect(screen.screen()).toContain('Nothing was applied that you have not looked at.')
    await screen.press('u')
    await screen.until((now) => now.includes('Put back: new.txt'))
  })
})
