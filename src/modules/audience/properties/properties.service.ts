// Creates, changes and deletes contact properties, for the API and the console.
import type { Static } from '@sinclair/typebox'
import { invalid, notFound } from '../../../lib/failure.ts'
import { explainProblem } from '../../../lib/problem.ts'
import type { AudienceContext } from '../audience.context.ts'
import { CONTACT_PROPERTIES, type ContactPropertyCreate, type PropertyType } from './properties.schema.ts'
import { checkValue, propertyKeyProblem } from './property-values.ts'

type Context = AudienceContext

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
  const created = await repositories.contactProperties.create(teamId, { key, type, fallbackValue })
  if (created === 'taken') throw invalid(`There is already a property called \`${key}\`. Choose another \`key\`.`)
  return created
}

/** @throws Failure `notFound` if the team has no such property, or about a fallback of another type. */
export async function updateFallback(
  { repositories }: Dependencies,
  teamId: string,
  { id, fallback }: { id: string; fallback: string | number | null },
): Promise<{ id: string }> {
  const property = await repositories.contactProperties.find(teamId, id)
  if (!property) throw notFound(CONTACT_PROPERTIES.noun)
  refuseFallback(property.type, fallback)
  const changed = await repositories.contactProperties.updateFallback(teamId, property.id, fallback)
  if (!changed) throw notFound(CONTACT_PROPERTIES.noun)
  return changed
}

/** @throws Failure if the team has no such property, or the filter of a segment uses it. */
export async function deleteContactProperty({ repositories }: Dependencies, teamId: string, id: string): Promise<{ id: string }> {
  const result = await repositories.contactProperties.deleteProperty(teamId, id)
  if (result === null) throw notFound(CONTACT_PROPERTIES.noun)
  if ('usedBy' in result)
    throw invalid(`This property is used by the filter of the segment \`${result.usedBy}\`. Change that filter first.`)
  return result
}

function refuseFallback(type: PropertyType, value: string | number | null): void {
  const problem = value === null ? null : checkValue(type, value)
  if (problem !== null) throw invalid(`The \`fallback_value\` field ${problem}.`)
}
