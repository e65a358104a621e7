/** A recording on the real screen: nobody types, and the keys steer the player. */
import { actionOf, type KeyPress, KeysContext, type KeyTable, RowView, useKeys, useTheme } from '@sluice/permissions-ui'
import { type ReactNode, useContext, useSyncExternalStore } from 'react'
import { memoryHistory } from '../composer/index.ts'
import { type AppActions, Screen, type ScreenProps } from '../screen/index.ts'
import type { Store } from '../state/index.ts'
import type { Player } from './player.ts'
import { keysRow, progressRow } from './player-rows.ts'

export type ReplayScreenProps = {
  store: Store
  player: Player
  home: string | null
  copy(text: string): void
  quit(): void
} & Pick<ScreenProps, 'columns' | 'rows' | 'reducedMotion'>

export function ReplayScreen({ store, player, home, copy, quit, ...size }: ReplayScreenProps) {
  const { table } = useContext(KeysContext)
  useKeys('leader', true, (press) => !passes(press, table, store) && steer(press, player, quit), swallow)
  return (
    <Screen
      {...size}
      store={store}
      actions={{ ...nobody, copy, quit }}
      composer={{ history: memoryHistory(), commands: [] }}
      home={home}
      clock={player.now}
      renderPlayer={({ width, height }) => <PlayerRows player={player} width={width} height={height} />}
    />
  )
}

function PlayerRows({ player, width, height }: { player: Player; width: number; height: number }): ReactNode {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const state = useSyncExternalStore(player.subscribe, player.state)
  return (
    <>
      <RowView row={progressRow(state, player.now(), width, theme)} />
      {height > 1 ? <RowView row={keysRow(state, table, width, theme)} /> : null}
    </>
  )
}

/** Keys that scroll and look after the terminal; while somebody reads, the reader has all but the one that leaves. */
function passes(press: KeyPress, table: KeyTable, store: Store): boolean {
  if (press.name === 'ctrl+c') return false
  return store.getState().ui.reading || passed.has(actionOf(table, 'global', press) ?? '')
}

const passed = new Set(['scrollUp', 'scrollDown', 'suspend', 'redraw'])

/** True for every key: there is nobody whom another one could reach. */
function steer(press: KeyPress, player: Player, quit: () => void): true {
  const { playing, speed } = player.state()
  switch (press.name) {
    case 'space':
      if (playing) player.pause()
      else player.play()
      break
    case 'q':
    case 'ctrl+c':
      quit()
      break
    case 'right':
      player.forward()
      break
    case 'left':
      player.back()
      break
    case '+':
    case '=':
      player.setSpeed(speed * 2)
      break
    case '-':
      player.setSpeed(speed / 2)
      break
    default:
      break
  }
  return true
}

const swallow = () => true

const nobody: AppActions = {
  send() {},
  runCommand: () => true,
  runShell: () => null,
  interrupt() {},
  answer: () => false,
  answerTrust() {},
  setMode() {},
  unqueue: () => null,
  copy() {},
  openInEditor() {},
  openInPager() {},
  suspend() {},
  redraw() {},
  quit() {},
}
