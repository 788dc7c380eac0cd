// Creates, changes and deletes contact properties, for the API and the console.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { propertyKeyProblem } from '../lib/audience/property-keys.ts'
import { checkValue, type PropertyType } from '../lib/audience/property-values.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { explainProblem } from '../lib/problem.ts'
import { CONTACT_PROPERTIES, type ContactPropertyCreate, PROPERTIES_MAX } from '../schemas/contact-properties.ts'

type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure about a field, or if the team has as many properties as it may have. */
export async function createContactProperty(
  { repositories }: Dependencies,
  teamId: string,
  { key, type, fallback_value: fallback }: Static<typeof ContactPropertyCreate>,
): Promise<{ id: string }> {
  const wrong = propertyKeyProblem(key)
  if (wrong) throw invalid(explainProblem('key', wrong))
  const fallbackValue = fallback ?? null
  refuseFallback(type, fallbackValue)
  const created = await repositories.contactProperties.create(teamId, { key, type, fallbackValue }, PROPERTIES_MAX)
  if (created === 'taken') throw invalid(`The \`key\` field must be new: there is a property called \`${key}\` already.`)
  if (created === 'full') throw invalid(`A team can have at most ${PROPERTIES_MAX} contact properties. Delete one first.`)
  return created
}

/** @throws Failure `notFound` if the team has no such property, or about a fallback of another type. */
export async function changeFallback(
  { repositories }: Dependencies,
  teamId: string,
  { id, fallback }: { id: string; fallback: string | number | null },
): Promise<{ id: string }> {
  const property = await repositories.contactProperties.find(teamId, id)
  if (!property) throw notFound(CONTACT_PROPERTIES.noun)
  refuseFallback(property.type, fallback)
  if (!(await repositories.contactProperties.changeFallback(teamId, property.id, fallback))) throw notFound(CONTACT_PROPERTIES.noun)
  return { id: property.id }
}

/** @throws Failure if the team has no such property, or the filter of a segment uses it. */
export async function removeContactProperty({ repositories }: Dependencies, teamId: string, id: string): Promise<void> {
  const result = await repositories.contactProperties.remove(teamId, id)
  if (result === null) throw notFound(CONTACT_PROPERTIES.noun)
  if (result !== 'removed')
    throw invalid(`This property is used by the filter of the segment \`${result.usedBy}\`. Change that filter first.`)
}

function refuseFallback(type: PropertyType, value: string | number | null): void {
  const problem = value === null ? null : checkValue(type, value)
  if (problem !== null) throw invalid(`The \`fallback_value\` field ${problem}.`)
}
