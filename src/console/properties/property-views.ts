// What the pages of contact properties show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { contactPlaceholders } from '../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { CONTACT_PROPERTIES } from '../../modules/audience/properties/properties.schema.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { PropertyListView } from './list-page.ts'
import { formOf, NEW_PROPERTY } from './property-forms.ts'
import type { PropertyView } from './property-page.ts'

/** The limit for all broadcasts together, because that much takes 50 ms. */
const CHARACTERS_LOOKED_THROUGH_MAX = 1_000_000

export function propertyViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { broadcasts, contactProperties, teams } = repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  async function usesOf(teamId: string, property: PropertyRow): Promise<PropertyView['uses']> {
    const [segments, withKey] = await Promise.all([
      contactProperties.segmentsWith(teamId, property),
      broadcasts.unsentWithText(teamId, property.key),
    ])
    if (withKey.length === 0) return { segments, broadcasts: [] }
    const standFor = contactPlaceholders(await contactProperties.all(teamId))
    const names = (text: string): boolean =>
      readPlaceholders(text).some((part) => {
        const found = typeof part === 'string' ? null : standFor(part.name)
        return typeof found === 'object' && found !== null && found.property.number === property.number
      })
    let left = CHARACTERS_LOOKED_THROUGH_MAX
    const naming = withKey.filter(({ texts }) =>
      texts.some((text) => {
        const looked = text?.slice(0, left) ?? ''
        left -= looked.length
        return names(looked)
      }),
    )
    return { segments, broadcasts: naming.map(({ id, name }) => ({ id, name })) }
  }

  return {
    async list(teamId: string, { after, before }: { after: string | null; before: string | null }): Promise<PropertyListView> {
      const page = await contactProperties.list(teamId, { limit: LINES_PER_PAGE, after, before })
      return { teamName: await teamName(teamId), page, after: after ?? before, form: NEW_PROPERTY, problem: null, note: '' }
    },

    /** @throws Failure `notFound`, also for the property of another team. */
    async property(teamId: string, id: string): Promise<PropertyView> {
      const property = isId(id) ? await contactProperties.find(teamId, id.toLowerCase()) : null
      if (!property) throw notFound(CONTACT_PROPERTIES.noun)
      const known = { teamName: await teamName(teamId), now: clock.now(), uses: await usesOf(teamId, property) }
      return { ...known, property, form: formOf(property), problem: null, note: '' }
    },
  }
}
