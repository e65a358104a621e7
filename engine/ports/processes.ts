/** Processes of this machine, named so that a later process of ours finds the very same ones. */
import type { CommandProcess } from '../protocol/index.ts'

export interface Processes {
  /** The process that leads a group of its own; null when it has ended already. Never throws. */
  identify(pid: number): CommandProcess | null
}
