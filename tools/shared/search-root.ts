/** Where a search starts: a folder, or a single file. */
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import { kindOf } from './file-version.ts'
import { errnoOf, fsFailure } from './fs-failure.ts'
import { missingPath } from './missing-path.ts'
import { expectSamePlace, type FilePath } from './paths.ts'

/** `cwd` is where the search program runs, `target` what it is given; `file` is set when the root is a file. */
export type SearchRoot = { cwd: string; target: string; file?: string }

/** Throws ToolFailure for a root that does not exist (with similar names), is no file or folder, or moved. */
export async function searchRoot(at: FilePath): Promise<SearchRoot> {
  await expectSamePlace(at)
  try {
    const found = await stat(at.path)
    if (found.isDirectory()) return { cwd: at.path, target: './' }
    if (found.isFile()) return { cwd: dirname(at.path), target: `./${basename(at.path)}`, file: basename(at.path) }
    throw new ToolFailure(`${at.shown} is ${kindOf(found)}; only files and folders can be searched.`)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw await missingPath(at)
    throw fsFailure(error, `Cannot search ${at.shown}`)
  }
}
