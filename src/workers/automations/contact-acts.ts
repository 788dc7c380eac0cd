// Steps that change the contacts of their runs: several of one kind in a transaction.
import type { Context } from '../../context.ts'
import type { Decision } from '../../lib/automations/engine/decide.ts'
import type { Known } from '../../lib/automations/references.ts'
import type { Advance } from '../../repositories/automations/advances.ts'
import type { ActingRun, ContactAct } from '../../repositories/automations/contact-acts.ts'
import type { PropertyRow } from '../../repositories/contacts/contact-properties.ts'
import { SEGMENTS_PER_CONTACT_MAX } from '../../schemas/contacts.ts'
import { type ContactStep, changeOfStep, knownContact, outcomeOf } from '../../services/automation-acts.ts'
import { acted, advanceOf, type LoadedRun } from './steps.ts'

/** A run at a step that changes its contact. `properties`: those of its team. */
export type Changing = { loaded: LoadedRun; decision: Decision; step: ContactStep; properties: PropertyRow[] }

/** Acts in one transaction. Its contacts are held meanwhile. */
const ACTS_MAX = 20

/** `failed`: runs whose act cannot be done, with the reason. `batches`: what is done together. */
export function contactActs({ hashAddress }: Pick<Context, 'hashAddress'>, changing: Changing[], at: Date) {
  const failed: Advance[] = []
  const acting: Sorted[] = []
  for (const each of changing) {
    const { loaded, decision, step, properties } = each
    const { run, contact } = loaded
    const act = actOf(
      step,
      { event: run.payload, contact, heard: decision.state.heard },
      { properties, hashOf: (email) => hashAddress(run.teamId, email) },
    )
    const advance = (outcome: Parameters<typeof acted>[2]['outcome'], from = loaded) =>
      advanceOf(loaded, acted(from, decision, { key: step.key, outcome }, at), { at })
    if ('failed' in act) failed.push(advance({ status: 'failed', error: act.failed }))
    else
      acting.push({
        email: contact.email,
        run: {
          id: run.id,
          teamId: run.teamId,
          contactId: run.contactId,
          act,
          // A condition that follows looks at the contact as it is now.
          advanceAfter: (result, changed) =>
            advance(outcomeOf(step, result), changed ? { ...loaded, contact: knownContact(changed, properties) } : loaded),
        },
      })
  }
  return { failed, batches: batchesOf(acting) }
}

type Sorted = { email: string; run: ActingRun }

/** Groups runs by team, kind and segment, each contact once, in the order in which contacts are locked. */
function batchesOf(acting: Sorted[]): ActingRun[][] {
  const times = new Map<string, number>()
  const groups = Map.groupBy(
    acting.toSorted((one, other) => compare(one.email, other.email) || compare(one.run.contactId, other.run.contactId)),
    ({ run: { teamId, contactId, act } }) => {
      const time = times.get(contactId) ?? 0
      times.set(contactId, time + 1)
      return JSON.stringify([teamId, act.kind, act.kind === 'add to segment' ? act.segmentId : null, time])
    },
  )
  // Much may be removed with a contact that is deleted, so each has a transaction of its own.
  return [...groups.values()].flatMap((group) =>
    chunksOf(
      group.map(({ run }) => run),
      group[0]?.run.act.kind === 'delete' ? 1 : ACTS_MAX,
    ),
  )
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const chunksOf = (runs: ActingRun[], size: number): ActingRun[][] =>
  Array.from({ length: Math.ceil(runs.length / size) }, (_, index) => runs.slice(index * size, (index + 1) * size))

type OfTeam = { properties: PropertyRow[]; hashOf: (email: string) => string }

/** The act, or why it cannot be done. */
function actOf(step: ContactStep, known: Known, { properties, hashOf }: OfTeam): ContactAct | { failed: string } {
  if (step.type === 'contact_delete') return { kind: 'delete' }
  if (step.type === 'add_to_segment')
    return { kind: 'add to segment', segmentId: step.config.segment_id.toLowerCase(), membershipsMax: SEGMENTS_PER_CONTACT_MAX }
  const change = changeOfStep(step.config, known, properties)
  return 'failed' in change ? change : { kind: 'update', change, hashOf }
}
