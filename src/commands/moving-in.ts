// What is counted and said while an account elsewhere is brought to a team.
import type { Config } from '../config.ts'
import type { ResendClient, TheirRecord } from '../gateways/web/resend-client.ts'
import type { AddressHash } from '../lib/audience/address-hashes.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure, invalid } from '../lib/failure.ts'
import type { DkimAlgorithm } from '../lib/signing/key-pairs.ts'
import type { NewDkimKey } from '../repositories/domains/dkim-keys.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { printTable, say } from './output.ts'

export type Move = {
  client: ResendClient
  repositories: Repositories
  config: Config
  clock: Clock
  teamId: string
  /** Nothing is changed. */
  isPlan: boolean
  hashAddress: AddressHash
  makeDkimKey: (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>
  tally: Tally
  /** Ids here by ids there; null where a plan would make it. */
  segments: Map<string, string | null>
  topics: Map<string, { id: string | null; subscription: string }>
  /** What came over, but not as it was, or did not. */
  notes: string[]
}

type Outcome = 'created' | 'existing' | 'refused'
export type Tally = Map<string, Record<Outcome, number>>

/** Each is a line on the terminal. */
const REFUSALS_SAID_MAX = 100

export const count = ({ tally }: Move, kind: string, outcome: Outcome): void => {
  const counts = tally.get(kind) ?? { created: 0, existing: 0, refused: 0 }
  counts[outcome] += 1
  tally.set(kind, counts)
}

/**
 * Creates one record, or finds that it cannot be, and counts it. A record that our rules refuse is said, and the others are still brought.
 *
 * @param name of the record, which is their text.
 * @returns what `create` returned; null in a plan, or if it was refused.
 */
export async function bring<Result>(
  move: Move,
  { kind, name, isExisting = false }: { kind: string; name: string; isExisting?: boolean },
  create: () => Promise<Result>,
): Promise<Result | null> {
  try {
    const result = await create()
    count(move, kind, isExisting ? 'existing' : 'created')
    return result
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    count(move, kind, 'refused')
    const refused = [...move.tally.values()].reduce((sum, counts) => sum + counts.refused, 0)
    if (refused <= REFUSALS_SAID_MAX) say(`Not brought: ${kind} ${JSON.stringify(name.slice(0, NAME_SAID_MAX))}: ${error.message}`)
    return null
  }
}

const NAME_SAID_MAX = 80

export function printTally({ tally, isPlan }: Move): void {
  printTable(
    ['WHAT', isPlan ? 'WOULD BE NEW' : 'NEW', 'HERE ALREADY', 'REFUSED'],
    [...tally].map(([kind, { created, existing, refused }]) => [kind, created, existing, refused]),
  )
}

/** A text field of their record; empty if its value is not a text. */
export const textIn = (record: TheirRecord, name: string): string => {
  const value = record[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The id, fit for a path.
 * @throws Failure if it does not look like an id, so that no path leads elsewhere.
 */
export function idOf(record: TheirRecord): string {
  const id = textIn(record, 'id')
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) throw invalid('Its id cannot be read.')
  return id
}

/** Keeps the fields that have a value, for one of our schemas to judge. */
export const fieldsOf = (record: TheirRecord, names: readonly string[]): TheirRecord =>
  Object.fromEntries(names.flatMap((name) => (record[name] == null || record[name] === '' ? [] : [[name, record[name]]])))

/** All of a list that is short by their rules, oldest first, so that ours has the same order. */
export async function oldestFirst(records: AsyncIterable<TheirRecord>): Promise<TheirRecord[]> {
  const all: TheirRecord[] = []
  for await (const record of records) all.push(record)
  return all.reverse()
}

/** The nth of theirs with a name is the nth of ours, because names need not be unique. */
export function takeNamed<Row extends { id: string; name: string }>(rows: Row[], name: string): Row | null {
  const at = rows.findIndex((row) => row.name === name)
  return at === -1 ? null : (rows.splice(at, 1)[0] ?? null)
}
