import { Alert, Table } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { OlderVersion } from '../content/OlderVersion'
import { Versions } from '../content/Versions'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useFilters } from '../shell/address'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { TemplateActs } from './TemplateActs'
import { TemplatePreview } from './TemplatePreview'
import { TemplateStates } from './TemplateStates'

type Template = RecordOf<'/templates/{template_id}'>

export default function TemplatePage() {
  const may = useMay()
  const id = useAddressPart('templateId')
  const [{ version }, setFilters] = useFilters(['version'])
  const { data: template, error, refetch } = useRecord('/templates/{template_id}', { path: { template_id: id } })
  if (!template) return <Awaited read={{ error, refetch }} />
  const shown = version ?? template.current_version_id
  return (
    <Page
      title={template.name}
      back={{ to: '/templates', name: TEXTS.title }}
      state={<TemplateStates template={template} />}
      acts={<TemplateActs template={template} isNewestShown={shown === template.current_version_id} />}
    >
      {template.status === 'draft' && <Alert color="gray">{TEXTS.notPublished}</Alert>}
      {template.status === 'published' && template.has_unpublished_versions && <Alert color="orange">{TEXTS.newerDraft}</Alert>}
      {shown !== template.current_version_id && <OlderVersion onShowNewest={() => setFilters({ version: '' })} />}
      <TemplatePreview key={shown} template={template} versionId={shown} />
      <TemplateVersions template={template} shown={shown} onShow={(versionId) => setFilters({ version: versionId })} />
      {may('emails:read') && <Emails templateId={template.id} />}
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [TEXTS.alias, template.alias !== null && <Copyable key="alias" text={template.alias} />],
            [TEXTS.from, template.from ?? <Dimmed key="from">{TEXTS.noFrom}</Dimmed>],
            [TEXTS.replyTo, template.reply_to],
            [TEXTS.published, template.published_at && <Time key="published" at={template.published_at} />],
            [TEXTS.changed, <Time key="changed" at={template.updated_at} />],
            [TEXTS.created, <Time key="created" at={template.created_at} />],
            ['Id', <Copyable key="id" text={template.id} />],
          ]}
        />
      </Section>
    </Page>
  )
}

/** The newest that were made from it. */
function Emails({ templateId }: { templateId: string }) {
  const read = useRecord('/emails', { query: { template_id: templateId, limit: EMAILS_SHOWN } })
  const { data } = read
  return (
    <Section
      title={TEXTS.emails}
      acts={
        data?.has_more && (
          <PageLink to="/emails" search={{ template_id: templateId }} size="sm">
            {TEXTS.allEmails}
          </PageLink>
        )
      }
    >
      {!data && <Awaited read={read} />}
      {data?.data.length === 0 && <Dimmed>{TEXTS.noEmails}</Dimmed>}
      {data && data.data.length > 0 && (
        <Table aria-label={TEXTS.emails}>
          <Table.Tbody>
            {data.data.map(({ id, to, subject, last_event, created_at }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <PageLink to={`/emails/${id}`}>{to.join(', ')}</PageLink>
                </Table.Td>
                <Table.Td>
                  <StateBadge state={last_event ?? 'queued'} />
                </Table.Td>
                <Table.Td visibleFrom="sm">{subject}</Table.Td>
                <Table.Td visibleFrom="sm">
                  <Time at={created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
const EMAILS_SHOWN = 10

type TemplateVersionsProps = { template: Template; shown: string; onShow: (versionId: string) => void }

function TemplateVersions({ template, shown, onShow }: TemplateVersionsProps) {
  const may = useMay()
  const path = { template_id: template.id }
  const list = useRows('/templates/{template_id}/versions', { path })
  return (
    <Versions
      list={list}
      hint={TEXTS.versionsHint}
      currentId={template.current_version_id}
      shownId={shown}
      onShow={(versionId) => onShow(versionId ?? '')}
      stateOf={({ is_published }) => is_published && <StateBadge state="published" />}
      {...(may('templates:write') && {
        restore: {
          question: TEXTS.restoreQuestion,
          ...(template.published_version_id !== null && {
            publish: () => answer(api.POST('/templates/{template_id}/publish', { params: { path } })),
          }),
          run: (version_id: string) =>
            answer(api.POST('/templates/{template_id}/versions/{version_id}/restore', { params: { path: { ...path, version_id } } })),
          done: TEXTS.restored,
          changes: ['templates'],
        },
      })}
    />
  )
}
