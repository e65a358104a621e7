/** Lets the library work as if this process were in another folder, for as long as one call of it lasts. */
import { AsyncLocalStorage } from 'node:async_hooks'

const elsewhere = new AsyncLocalStorage<string>()
const here = process.cwd
let inForce = false

/**
 * Within `work`, and what it awaits, `process.cwd()` is `folder`; everywhere else it is what it was. The library guards
 * names in the folder of the process, whether sluice works there or not, and has no setting for it.
 */
export function asIfIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (!inForce) {
    inForce = true
    process.cwd = () => elsewhere.getStore() ?? here.call(process)
  }
  return elsewhere.run(folder, work)
}
