// Steps that change the contacts of their runs, and how far the runs get by it, in one transaction: all of it or nothing.

import type { Database, RecordTransaction } from '../../../db/database.ts'
import { againAfterDeadlock } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { appendContactNotification, type ContactRow, lockContact } from '../../audience/contacts/contact-rows.repository.ts'
import { type ContactChange, changeContact, deleteContactRows, type HashOf } from '../../audience/contacts/contacts.repository.ts'
import { lockOptOutsShared } from '../../audience/contacts/opt-outs.repository.ts'
import { addMember, lockMember, type MembershipProblem } from '../../audience/segments/contact-segments.repository.ts'
import { forgetContacts } from '../forgotten-contacts.repository.ts'
import { type Advance, lockRuns, mayContinue, storeHeld } from './advances.repository.ts'

/** What a step does to its contact. */
export type ContactAct =
  | { kind: 'update'; change: ContactChange; hashOf: HashOf }
  | { kind: 'delete' }
  | { kind: 'add to segment'; segmentId: string; membershipsMax: number }

export type ActResult = 'done' | MembershipProblem

/** A run that changes its contact. */
export type ActingRun = {
  /** That of the run. */
  id: string
  teamId: string
  contactId: string
  act: ContactAct
  /** How far the run has got then, with the contact as it is by then. */
  advanceAfter: (result: ActResult, contact: ContactRow | null) => Advance
}

export function contactActRepository({ records }: Pick<Database, 'records'>, { clock }: { clock: Clock }) {
  return {
    /**
     * Does the acts of runs that this worker still holds, and stores these. A run that was cancelled meanwhile, or whose automation was stopped, does nothing.
     *
     * @param acting runs of one team with acts of one kind, of one segment, and of different contacts, in the order in which contacts are held
     */
    do(workerId: string, acting: ActingRun[]): Promise<void> {
      return againAfterDeadlock(() => records((record) => actTogether(record, { workerId, acting, clock })))
    },
  }
}

type Acting = { workerId: string; acting: ActingRun[]; clock: Clock }
type FoundContact = ContactRow | Exclude<MembershipProblem, 'too many segments'>

async function actTogether(record: RecordTransaction, { workerId, acting, clock }: Acting): Promise<void> {
  const found: { run: ActingRun; contact: FoundContact }[] = []
  for (const run of acting) found.push({ run, contact: await lockFor(record, run) })
  // Contacts are held before runs, as everywhere.
  const held = await lockRuns(record.execute, workerId, acting)
  const mine = new Set(held.flatMap((run) => (mayContinue(run) ? [run.id] : [])))
  const now = clock.now()
  const advances: Advance[] = []
  const deleted: { teamId: string; contact: ContactRow }[] = []
  for (const { run, contact } of found) {
    if (!mine.has(run.id)) continue
    const done = typeof contact === 'string' ? contact : await perform(record, run, { contact, now })
    if (typeof contact !== 'string' && run.act.kind === 'delete') deleted.push({ teamId: run.teamId, contact })
    advances.push(typeof done === 'string' ? run.advanceAfter(done, null) : run.advanceAfter('done', done))
  }
  await storeHeld(record.execute, { advances, held, clock, isLast: false })
  for (const { teamId, contact } of deleted) await deleteContactRows(record.execute, teamId, { contacts: [contact], forgetContacts, now })
}

async function lockFor({ execute }: RecordTransaction, { teamId, contactId, act }: ActingRun): Promise<FoundContact> {
  if (act.kind === 'add to segment') return lockMember(execute, teamId, { id: contactId }, act.segmentId)
  if (act.kind === 'update') await lockOptOutsShared(execute, teamId)
  return (await lockContact(execute, teamId, { id: contactId })) ?? 'unknown contact'
}

/** The contact as it is then. */
async function perform(
  record: RecordTransaction,
  { teamId, act }: ActingRun,
  { contact, now }: { contact: ContactRow; now: Date },
): Promise<ContactRow | 'too many segments'> {
  if (act.kind === 'delete') return contact
  if (act.kind === 'add to segment') {
    const added = await addMember(record, teamId, { contact, ...act, now })
    return added === 'too many segments' ? added : contact
  }
  const { change, hashOf } = act
  const changed = await changeContact(record, teamId, { contact, change, hashOf, now })
  await appendContactNotification(record.execute, 'contact.updated', { teamId, contact: changed, now })
  return changed
}
