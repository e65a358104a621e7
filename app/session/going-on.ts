/** Whether and in which folder a stored session goes on: what a person answers, what they are asked, what is in the way. */

/** In its own folder, in the one where the person is, or in its own unless the person must be asked. */
export type GoOn = 'there' | 'here' | 'asks'

/** The folder of a session, about which the person is asked; `gone` when it is not there any more. */
export type FolderAsked = { folder: string; gone: boolean }

/** Why a session is not gone on with: in words, or its folder. */
export type Refusal = string | FolderAsked

/** `where` is what is known of the other process: ` (process 4711)`, or ''. */
export function runsElsewhere(where: string): string {
  return `It runs in another sluice${where}: close it there first`
}
