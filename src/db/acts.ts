// The act that a request or a command performs. The first transaction that writes something takes the row of the audit log along, so a handler cannot
// forget it. Without an act, a statement costs one look at the asynchronous context more.
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { Clock } from '../lib/clock.ts'
import { createId } from '../lib/ids.ts'

type Execute = <Row extends pg.QueryResultRow>(sql: string, values: unknown[]) => Promise<Row[]>

/** What the audit log says of an act, but for what it changed. */
export type Act = {
  id: string
  /** The id of the event that webhooks get. */
  notificationId: string
  createdAt: Date
  /** Null: that of the row that it changes. */
  teamId: string | null
  actor: { kind: string; id: string | null; name: string | null; address: string | null; userAgent: string | null }
  /** The id of its operation. */
  name: string
  target: {
    type: string | null
    /** The record that the request names; null if it makes one. */
    id: string | null
    /** Whose changed rows are kept as details. */
    table: string | null
  }
  /** Other teams in whose logs it stands too: what people do for themselves is of all their teams. */
  copies: readonly { id: string; notificationId: string; teamId: string }[]
}

type NewAct = Pick<Act, 'actor' | 'target'> & { teamId: string | readonly string[] | null; clock: Clock }

/**
 * `teamId`: in whose log it stands; several: in that of each.
 * @param name the id of an operation, or of what is none
 */
export function newAct(name: string, { teamId, actor, target, clock }: NewAct): Act {
  const [first = null, ...others] = [teamId ?? []].flat()
  const ids = () => ({ id: createId(clock), notificationId: createId(clock) })
  const copies = others.map((other) => ({ ...ids(), teamId: other }))
  return { ...ids(), createdAt: clock.now(), teamId: first, actor, name, target: { ...target }, copies }
}

/** `busy`: a transaction is about to record it. `done`: it is recorded, or over. `isContinued`: it is part of one that was recorded before. */
export type Pending = { act: Act; state: 'open' | 'busy' | 'done'; next: ((act: Act) => Act) | null; isContinued: boolean }

const pending = new AsyncLocalStorage<Pending | null>()

/**
 * Runs the work as an act. What it leaves running is no part of it. `next`: for work in steps, whose every transaction leaves a row: the act of the
 * next one.
 */
export async function performAct<Result>(
  act: Act,
  work: () => Result | Promise<Result>,
  { next = null }: Partial<Pick<Pending, 'next'>> = {},
): Promise<Result> {
  const slot: Pending = { act, state: 'open', next, isContinued: false }
  try {
    return await pending.run(slot, work)
  } finally {
    slot.state = 'done'
  }
}

/** Runs what is no part of the act that is pending: what a refusal writes too, such as that a try is used up. The row of the act does not come of it. */
export const outsideAct = <Result>(work: () => Promise<Result>): Promise<Result> => pending.run(null, work)

/** The act that is not recorded yet; null outside one. */
export function pendingAct(): Pending | null {
  const slot = pending.getStore()
  return slot?.state === 'open' ? slot : null
}

/** Repeats an act, as the next step of its work. */
export const nextAct =
  (clock: Clock) =>
  ({ name, actor, target, teamId, copies }: Act): Act =>
    newAct(name, { actor, target, teamId: [teamId ?? [], ...copies.map((copy) => copy.teamId)].flat(), clock })

/** After a row of it was written: whether another follows. */
export function isOver(slot: Pending): boolean {
  if (slot.next) slot.act = slot.next(slot.act)
  return slot.next === null
}

/** Says whose act it is, once that is known. */
export function nameTeam(teamId: string): void {
  const slot = pendingAct()
  if (slot) slot.act.teamId ??= teamId
}

/** As nameTeam, of an act that is of several. */
export function nameTeams(teamIds: readonly string[], clock: Clock): void {
  const slot = pendingAct()
  if (slot) slot.act = newAct(slot.act.name, { ...slot.act, teamId: teamIds, clock })
}

/** Says who the person is that acts, once they are known. */
export function namePerson(id: string): void {
  const slot = pending.getStore()
  if (slot && slot.state !== 'done' && slot.act.actor.kind === 'person') slot.act.actor.id ??= id
}

/** Within its transaction: the act is part of one that stands in the log, such as what someone writes for an hour, and gets no row of its own. */
export function continueAct(): void {
  const slot = pending.getStore()
  if (slot) slot.isContinued = true
}

/** Names the record that the act has made by its answer, where no trigger sees it. */
export function nameTarget(answer: { id?: unknown }): void {
  const slot = pendingAct()
  if (slot && typeof answer.id === 'string') slot.act.target.id ??= answer.id
}

/** Runs the work in its transaction, and adds the row of the act if it has written something. The second result says whether. */
export async function recordingAct<Result>(slot: Pending, execute: Execute, work: () => Promise<Result>): Promise<[Result, boolean]> {
  const [begun] = await execute<{ written: string }>('select begin_act($1)::text as written', [slot.act.target.table])
  // What a transaction said that was rolled back does not hold.
  slot.isContinued = false
  const result = await work()
  if (slot.isContinued) return [result, true]
  const [ended] = await execute<{ recorded: boolean }>(RECORD, [jsonOf(slot.act), begun?.written])
  return [result, ended?.recorded === true]
}

const RECORD = 'select bool_or(record_act(act, $2::text::bigint)) as recorded from jsonb_array_elements($1::text::jsonb) act'

/** Records an act that reads, once it has succeeded. */
export async function recordRead(execute: Execute, act: Act): Promise<void> {
  await execute(RECORD, [jsonOf(act), null])
}

/** One for each team. */
const jsonOf = ({ copies, ...act }: Act): string => JSON.stringify([act, ...copies.map((copy) => ({ ...act, ...copy }))].map(toRecorded))

const toRecorded = ({ id, notificationId, createdAt, teamId, actor, name, target }: Omit<Act, 'copies'>) => ({
  id,
  notification_id: notificationId,
  created_at: createdAt,
  team_id: teamId,
  actor_kind: actor.kind,
  actor_id: actor.id,
  actor_name: actor.name,
  address: actor.address,
  user_agent: actor.userAgent,
  act: name,
  target_type: target.type,
  target_id: target.id,
})

/** Whether a statement may write. One that locks rows looks like it. */
export const mayWrite = (sql: string): boolean => /\b(?:insert|update|delete|merge)\b/i.test(sql)

const WRITES = new Set([
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
])

type Method = (options: unknown) => Promise<unknown>
type Tables = Record<string, Record<string, Method>>

/** Prisma's tables, on which a single write within an act is a transaction. */
export function auditedTables<Client extends object>(
  tables: Client,
  inTransaction: (work: (inside: object) => Promise<unknown>) => Promise<unknown>,
): Client {
  return new Proxy(tables, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof name !== 'string' || typeof value !== 'object' || value === null || !pendingAct()) return value
      return new Proxy(value, {
        get(table, method) {
          if (typeof method !== 'string' || !WRITES.has(method)) return Reflect.get(table, method)
          return (options: unknown) => inTransaction(async (inside) => (inside as Tables)[name]?.[method]?.(options))
        },
      })
    },
  })
}
