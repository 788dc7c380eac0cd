// What names a contact property: filters of segments, messages that are not sent yet, templates, and steps of automations.
import { contactPlaceholders } from '../../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders } from '../../../mail/rendering/placeholders.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { PropertyRow } from '../../audience/properties/properties.repository.ts'
import type { BroadcastsContext } from '../../broadcasts/broadcasts.context.ts'
import type { ConsoleContext } from '../console.context.ts'
import type { NamedRecord } from './record-uses.repository.ts'

export type PropertyUses = Record<'segments' | 'broadcasts' | 'templates' | 'automations', NamedRecord[]>

/** The limit of each kind of messages, because that much takes 50 ms. */
const CHARACTERS_LOOKED_THROUGH_MAX = 1_000_000

export async function propertyUses(
  { repositories }: Pick<AudienceContext & BroadcastsContext & ConsoleContext, 'repositories'>,
  teamId: string,
  property: PropertyRow,
): Promise<PropertyUses> {
  const { broadcasts, contactProperties, recordUses } = repositories
  const [segments, automations, unsent, templates] = await Promise.all([
    contactProperties.segmentsWith(teamId, property),
    recordUses.automationsWithProperty(teamId, property.key),
    broadcasts.unsentWithText(teamId, property.key),
    recordUses.templatesWithText(teamId, property.key),
  ])
  if (unsent.length === 0 && templates.length === 0) return { segments, automations, broadcasts: [], templates: [] }
  const standFor = contactPlaceholders(await contactProperties.all(teamId))
  const isNamedIn = (text: string): boolean =>
    readPlaceholders(text).some((part) => {
      const found = typeof part === 'string' ? null : standFor(part.name)
      return typeof found === 'object' && found !== null && found.property.number === property.number
    })
  return { segments, automations, broadcasts: naming(unsent, isNamedIn), templates: naming(templates, isNamedIn) }
}

function naming(all: (NamedRecord & { texts: (string | null)[] })[], isNamedIn: (text: string) => boolean): NamedRecord[] {
  let left = CHARACTERS_LOOKED_THROUGH_MAX
  return all
    .filter(({ texts }) =>
      texts.some((text) => {
        const looked = text?.slice(0, left) ?? ''
        left -= looked.length
        return isNamedIn(looked)
      }),
    )
    .map(({ id, name }) => ({ id, name }))
}
