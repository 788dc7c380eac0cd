import { Alert, Badge, Button, Group, Table, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { DataList, Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useFilters } from '../shell/address'
import { Problem } from '../shell/problems'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { TemplateActs } from './TemplateActs'
import { TemplatePreview } from './TemplatePreview'

type Template = RecordOf<'/templates/{template_id}'>

export default function TemplatePage() {
  const may = useMay()
  const id = useAddressPart('templateId')
  const [{ version }, setFilters] = useFilters(['version'])
  const { data: template, error, refetch } = useRecord('/templates/{template_id}', { path: { template_id: id } })
  if (error && !template) return <Problem error={error} onRetry={() => void refetch()} />
  if (!template) return <Loading />
  const shown = version ?? template.current_version_id
  return (
    <Page
      title={template.name}
      back={{ to: '/templates', name: TEXTS.title }}
      state={<States template={template} />}
      acts={<TemplateActs template={template} isNewestShown={shown === template.current_version_id} />}
    >
      {template.status === 'draft' && <Alert color="gray">{TEXTS.notPublished}</Alert>}
      {template.status === 'published' && template.has_unpublished_versions && <Alert color="orange">{TEXTS.newerDraft}</Alert>}
      {shown !== template.current_version_id && (
        <Alert color="blue">
          <Group justify="space-between">
            {TEXTS.olderVersion}
            <Button size="xs" variant="default" onClick={() => setFilters({ version: '' })}>
              {TEXTS.showNewest}
            </Button>
          </Group>
        </Alert>
      )}
      <TemplatePreview key={shown} template={template} versionId={shown} />
      <Versions template={template} shown={shown} onShow={(versionId) => setFilters({ version: versionId })} />
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

const States = ({ template }: { template: Template }) => (
  <>
    <StateBadge state={template.status} />
    {template.status === 'published' && template.has_unpublished_versions && (
      <Badge variant="light" color="orange">
        {TEXTS.draftIsNewer}
      </Badge>
    )}
  </>
)

/** The newest that were made from it. */
function Emails({ templateId }: { templateId: string }) {
  const { data } = useRecord('/emails', { query: { template_id: templateId, limit: EMAILS_SHOWN } })
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

type VersionsProps = { template: Template; shown: string; onShow: (versionId: string) => void }

/** What it said before, and how one goes back to it. */
function Versions({ template, shown, onShow }: VersionsProps) {
  const may = useMay()
  const versions = useRows('/templates/{template_id}/versions', { path: { template_id: template.id } })
  const restore = useAct({
    run: (versionId: string) =>
      answer(
        api.POST('/templates/{template_id}/versions/{version_id}/restore', {
          params: { path: { template_id: template.id, version_id: versionId } },
        }),
      ),
    done: TEXTS.restored,
    changes: ['templates'],
    onDone: () => onShow(''),
  })
  return (
    <Section title={TEXTS.versions}>
      <Text size="sm" c="dimmed">
        {TEXTS.versionsHint}
      </Text>
      <DataList
        label={TEXTS.versions}
        list={versions}
        columns={[
          { name: TEXTS.made, cell: ({ created_at }) => <Time at={created_at} /> },
          { name: TEXTS.subject, cell: ({ subject }) => <Dimmed>{subject}</Dimmed>, isWide: true },
          {
            name: TEXTS.state,
            cell: ({ id, is_published }) => (
              <Group gap={4}>
                {is_published && <StateBadge state="published" />}
                {id === template.current_version_id && <Badge variant="default">{TEXTS.newest}</Badge>}
              </Group>
            ),
          },
          {
            name: TEXTS.show,
            isNumber: true,
            cell: ({ id, created_at }) => (
              <Group gap="xs" justify="flex-end">
                {id === shown ? (
                  <Dimmed>{TEXTS.shown}</Dimmed>
                ) : (
                  <Button size="xs" variant="default" onClick={() => onShow(id === template.current_version_id ? '' : id)}>
                    {TEXTS.show}
                  </Button>
                )}
                {may('templates:write') && id !== template.current_version_id && (
                  <ConfirmButton
                    key={created_at}
                    name={TEXTS.restore}
                    question={TEXTS.restoreQuestion}
                    onConfirm={() => restore.mutate(id)}
                    isBusy={restore.isPending && restore.variables === id}
                    size="xs"
                    color="indigo"
                    variant="default"
                  />
                )}
              </Group>
            ),
          },
        ]}
      />
    </Section>
  )
}
