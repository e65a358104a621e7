/** Lists the processes of this machine and finds those that belong to a command, however they left its group. */
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { callMark } from './environment.ts'

/** `started` tells a process from a later one with the same id; it is only ever compared for equality. */
export type ProcessEntry = { pid: number; parent: number; group: number; started: string; name: string }

/**
 * Whose processes are meant: everything marked with the call's id, in its group, seen before, or descended from those.
 * `group` is undefined once nobody is left in it, since its number may then be given to others.
 */
export type ProcessQuery = { callId: string; group: number | undefined; known: readonly ProcessEntry[] }

/** Live processes of a command, without zombies; undefined when the system does not tell. */
export async function findProcesses(query: ProcessQuery): Promise<ProcessEntry[] | undefined> {
  return belonging(query, hasProc ? procTable() : parsePs(await ps()))
}

/** The same while this program is exiting, when nothing may be awaited. */
export function findProcessesNow(query: ProcessQuery): ProcessEntry[] | undefined {
  return belonging(query, hasProc ? procTable() : parsePs(psNow()))
}

/** A table row, with a way to learn whether the process carries a mark in its environment. */
type Row = ProcessEntry & { marked(callId: string): boolean }

function belonging(query: ProcessQuery, table: Row[]): ProcessEntry[] | undefined {
  if (table.length === 0) return undefined
  const known = new Set(query.known.map((entry) => `${entry.pid}/${entry.started}`))
  const mine = new Map<number, Row>()
  for (const row of table) {
    const ours = row.group === query.group || known.has(`${row.pid}/${row.started}`) || row.marked(query.callId)
    if (ours && row.pid !== process.pid) mine.set(row.pid, row)
  }
  for (let size = -1; size !== mine.size; ) {
    size = mine.size
    for (const row of table) if (mine.has(row.parent) && row.pid !== process.pid) mine.set(row.pid, row)
  }
  return [...mine.values()].map(({ pid, parent, group, started, name }) => ({ pid, parent, group, started, name }))
}

const hasProc = process.platform === 'linux'

function procTable(): Row[] {
  const rows: Row[] = []
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const row = procRow(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'))
      if (row) rows.push(row)
    } catch {
      // It ended while we looked, or is hidden from us; either way it is not ours to end.
    }
  }
  return rows
}

/** `pid (name) state ppid pgrp …`, with the start time as the 22nd field; the name may hold anything. */
function procRow(pid: string, stat: string): Row | undefined {
  const open = stat.indexOf('(')
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    started: fields[19] ?? '',
    name: stat.slice(open + 1, close),
    marked: (callId) => procEnvironment(pid).includes(`\0${callMark}=${callId}\0`),
  }
}

function procEnvironment(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`
  } catch {
    return ''
  }
}

/** `-E` appends the environment to the command where the system lets us read it. */
const psArguments = ['-axww', '-E', '-o', 'pid=,ppid=,pgid=,state=,lstart=,command=']
const psLimits = { maxBuffer: 64 * 1024 * 1024, timeout: 5_000, env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } }

function ps(): Promise<string> {
  return new Promise((resolve) => {
    execFile('ps', psArguments, psLimits, (_error, stdout) => resolve(stdout))
  })
}

function psNow(): string {
  try {
    return execFileSync('ps', psArguments, { ...psLimits, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

/** Rows of `ps`: pid, parent, group, state, a start time of five words, and the command with its environment. */
export function parsePs(output: string): Row[] {
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line)
    if (!match || match[4]?.startsWith('Z')) return []
    const command = match[6] ?? ''
    return [
      {
        pid: Number(match[1]),
        parent: Number(match[2]),
        group: Number(match[3]),
        started: match[5] ?? '',
        name: (command.split(' ')[0] ?? '').replace(/^.*\//, ''),
        marked: (callId: string) => ` ${command} `.includes(` ${callMark}=${callId} `),
      },
    ]
  })
}
