import type { Context } from '../context.ts'
import { referenceSentence, refuseRepeated } from '../lib/audience/audience-fields.ts'
import { invalid, notFound } from '../lib/failure.ts'
import type { ContactReference } from '../repositories/contacts/contact-rows.ts'
import { CONTACTS } from '../schemas/contacts.ts'
import type { Subscription } from '../schemas/notifications.ts'

type Choices = { id: string; subscription: Subscription }[]

/**
 * Sets what a contact chose about topics: all choices or none.
 *
 * @param field what the caller calls the choices; empty if they are the whole body
 * @throws Failure if there is no such contact, or about the first topic that is wrong
 */
export async function chooseTopics(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  { reference, choices, field }: { reference: ContactReference; choices: Choices; field: string },
): Promise<{ id: string; topics: Choices }> {
  refuseRepeated(choices, field)
  const result = await repositories.contactTopics.set(teamId, reference, choices)
  if (!result) throw notFound(CONTACTS.noun)
  if ('problem' in result) throw invalid(referenceSentence(result, { topics: field }))
  return result
}
