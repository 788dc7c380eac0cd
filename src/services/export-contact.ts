import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import type { ContactReference } from '../repositories/contacts/contact-rows.ts'
import { type ContactExport, EXPORT_EMAILS_MAX, EXPORT_EVENTS_MAX, EXPORT_RUNS_MAX } from '../schemas/contact-exports.ts'
import { CONTACTS } from '../schemas/contacts.ts'
import { toContactExport } from '../serializers/contact-exports.ts'

const LIMITS = { emailsMax: EXPORT_EMAILS_MAX, eventsMax: EXPORT_EVENTS_MAX, runsMax: EXPORT_RUNS_MAX }

/**
 * Everything that is stored about a person, as one document.
 * @throws Failure if nothing is known of the person, or filters take too long
 */
export async function exportContact(
  { repositories, hashAddress, clock }: Pick<Context, 'repositories' | 'hashAddress' | 'clock'>,
  teamId: string,
  reference: ContactReference,
): Promise<Static<typeof ContactExport>> {
  const found = await repositories.contactExports.read(teamId, reference, (email) => hashAddress(teamId, email), LIMITS)
  if (!found) throw notFound(CONTACTS.noun)
  return toContactExport(found, await repositories.contactProperties.all(teamId), clock.now())
}
