import { Code } from '@mantine/core'
import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { Page } from '../parts/Page'
import { useMay } from '../session/me'
import { PROPERTY_TEXTS as TEXTS } from '../texts/properties'
import { CreateProperty } from './PropertyForm'
import { placeholderOf } from './property-values'

export default function PropertiesPage() {
  const may = useMay()
  const list = useRows('/contact-properties')
  return (
    <Page title={TEXTS.title} acts={may('contact-properties:write') && <CreateProperty />}>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/properties/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.key, cell: ({ key }) => key },
          { name: TEXTS.type, cell: ({ type }) => TEXTS.types[type] },
          {
            name: TEXTS.fallback,
            cell: ({ fallback_value }) => (fallback_value === null ? <Dimmed>{TEXTS.noFallback}</Dimmed> : <bdi>{fallback_value}</bdi>),
          },
          { name: TEXTS.placeholder, cell: ({ key }) => <Code>{placeholderOf(key)}</Code>, isWide: true },
        ]}
      />
    </Page>
  )
}
