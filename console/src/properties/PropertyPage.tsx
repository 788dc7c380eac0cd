import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Dimmed } from '../parts/DataList'
import { DeleteMenu } from '../parts/DeleteMenu'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { factsOfUses } from '../parts/use-facts'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { PROPERTY_TEXTS as TEXTS } from '../texts/properties'
import { EditProperty } from './PropertyForm'
import { placeholderOf } from './property-values'

export default function PropertyPage() {
  const id = useAddressPart('propertyId')
  const may = useMay()
  const go = useGo()
  const path = { contact_property_id: id }
  const { data: property, error, refetch } = useRecord('/contact-properties/{contact_property_id}', { path })
  const { data: uses } = useRecord('/contact-properties/{contact_property_id}/uses', { path })
  if (!property) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={property.key}
      back={{ to: '/properties', name: TEXTS.title }}
      acts={
        may('contact-properties:write') && (
          <>
            <EditProperty property={property} />
            <DeleteMenu
              name={TEXTS.remove}
              means={TEXTS.removeMeans(placeholderOf(property.key))}
              run={() => answer(api.DELETE('/contact-properties/{contact_property_id}', { params: { path } }))}
              done={TEXTS.removed}
              changes={['contact-properties', 'contacts']}
              onDone={() => go('/properties')}
            />
          </>
        )
      }
    >
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.type, TEXTS.types[property.type]],
            [
              TEXTS.fallback,
              property.fallback_value === null ? <Dimmed key="fallback">{TEXTS.noFallback}</Dimmed> : property.fallback_value,
            ],
            [TEXTS.placeholder, <Copyable key="placeholder" text={placeholderOf(property.key)} />],
            ...factsOfUses(uses?.data),
            [TEXTS.createdAt, <Time key="created" at={property.created_at} />],
            [TEXTS.id, <Copyable key="id" text={property.id} />],
          ]}
        />
      </Section>
    </Page>
  )
}
