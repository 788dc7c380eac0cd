// Steps that change the contact of their run.
import type { Context } from '../../context.ts'
import type { Known } from '../../lib/automations/references.ts'
import type { ContactAct } from '../../repositories/automations/advances.ts'
import { SEGMENTS_PER_CONTACT_MAX } from '../../schemas/contacts.ts'
import { type ContactStep, changeOfStep } from '../../services/automation-acts.ts'

type Dependencies = Pick<Context, 'repositories' | 'hashAddress'>

/** The act, or why it cannot be done. */
export async function contactActOf(
  { repositories, hashAddress }: Dependencies,
  teamId: string,
  { step, known }: { step: ContactStep; known: Known },
): Promise<ContactAct | { failed: string }> {
  if (step.type === 'contact_delete') return { kind: 'delete' }
  if (step.type === 'add_to_segment')
    return { kind: 'add to segment', segmentId: step.config.segment_id.toLowerCase(), membershipsMax: SEGMENTS_PER_CONTACT_MAX }
  const change = changeOfStep(step.config, known, await repositories.contactProperties.all(teamId))
  return 'failed' in change ? change : { kind: 'update', change, hashOf: (email) => hashAddress(teamId, email) }
}
