import { Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { TemplateStates } from './TemplateStates'

export default function TemplatesPage() {
  const may = useMay()
  const list = useRows('/templates')
  return (
    <Page
      title={TEXTS.title}
      acts={
        may('templates:write') && (
          <LinkButton to="/templates/new" leftSection={<Plus size={16} />}>
            {TEXTS.create}
          </LinkButton>
        )
      }
    >
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/templates/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: (template) => <TemplateStates template={template} /> },
          {
            name: TEXTS.alias,
            cell: ({ alias }) =>
              alias !== null && (
                <Text span ff="monospace" size="sm">
                  {alias}
                </Text>
              ),
            isWide: true,
          },
          {
            name: TEXTS.published,
            cell: ({ published_at }) => (published_at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={published_at} />),
            isWide: true,
          },
          { name: TEXTS.changed, cell: ({ updated_at }) => <Time at={updated_at} />, isAside: true },
        ]}
      />
    </Page>
  )
}
