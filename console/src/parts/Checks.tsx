import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { type RecordOf, useRecord } from '../api/queries'
import { CHECK_TEXTS as TEXTS } from '../texts/sending'
import { NotLoaded } from './ErrorAlert'
import { LoadingWords } from './Loading'
import { countOf } from './numbers'
import { PageLink } from './PageLink'
import { withCode } from './with-code'

type Check = RecordOf<'/broadcasts/{broadcast_id}/checks'>['data'][number]

/** What is checked: as it was saved last. */
export type Checked = { broadcastId: string } | { templateId: string }

type Checking = {
  checks: Check[] | null
  htmlBytes: number | null
  errors: number
  error: Error | null
  isBusy: boolean
  again: () => void
}

export function useChecks(checked: Checked): Checking {
  const broadcastId = 'broadcastId' in checked ? checked.broadcastId : null
  const templateId = 'templateId' in checked ? checked.templateId : null
  const ofBroadcast = useRecord(
    '/broadcasts/{broadcast_id}/checks',
    { path: { broadcast_id: broadcastId ?? '' } },
    { isEnabled: broadcastId !== null, isFresh: true },
  )
  const ofTemplate = useRecord(
    '/templates/{template_id}/checks',
    { path: { template_id: templateId ?? '' } },
    { isEnabled: templateId !== null, isFresh: true },
  )
  const { data, error, isFetching, refetch } = broadcastId === null ? ofTemplate : ofBroadcast
  return {
    checks: data?.data ?? null,
    htmlBytes: data?.html_bytes ?? null,
    errors: data?.data.filter(({ level }) => level === 'error').length ?? 0,
    error,
    isBusy: isFetching,
    again: () => void refetch(),
  }
}

/**
 * What to look at before a mail is sent, with links to what to change. For any page: `<Checks templateId={id} />`.
 *
 * @param hasEditLink false on the page where the content is changed
 * @param isOutdated it has been changed since it was saved
 */
export function Checks({ hasEditLink = true, isOutdated = false, ...checked }: Checked & { hasEditLink?: boolean; isOutdated?: boolean }) {
  const { checks, htmlBytes, errors, error, isBusy, again } = useChecks(checked)
  if (error && !checks) return <NotLoaded error={error} onRetry={again} />
  if (!checks) return <LoadingWords>{TEXTS.checking}</LoadingWords>
  const warnings = checks.length - errors
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {errors > 0 && (
          <Badge variant="light" color="red">
            {TEXTS.errors(errors)}
          </Badge>
        )}
        {warnings > 0 && (
          <Badge variant="light" color="orange">
            {TEXTS.warnings(warnings)}
          </Badge>
        )}
        {checks.length === 0 && (
          <Group gap={6}>
            <CircleCheck size={18} aria-hidden />
            <Text>{TEXTS.nothing}</Text>
          </Group>
        )}
        {htmlBytes !== null && (
          <Text size="sm" c="dimmed">
            {TEXTS.size(countOf(Math.ceil(htmlBytes / 1_024)))}
          </Text>
        )}
        <Button variant="subtle" size="compact-sm" onClick={again} loading={isBusy}>
          {TEXTS.again}
        </Button>
      </Group>
      {isOutdated && (
        <Text size="sm" c="dimmed" role="status">
          {TEXTS.outdated}
        </Text>
      )}
      {checks.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={TEXTS.title} style={{ listStyle: 'none' }}>
          {checks.map((check) => (
            <Group key={check.code + check.message} component="li" gap="xs" wrap="nowrap" align="flex-start">
              <LevelIcon level={check.level} />
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {withCode(check.message)} <Where check={check} checked={checked} hasEditLink={hasEditLink} />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

function LevelIcon({ level }: { level: Check['level'] }) {
  const Icon = level === 'error' ? CircleX : TriangleAlert
  return (
    <Text span c={level === 'error' ? 'red' : 'orange'} role="img" aria-label={level === 'error' ? TEXTS.error : TEXTS.warning}>
      <Icon size={18} aria-hidden />
    </Text>
  )
}

/** Where it is changed. */
function Where({ check, checked, hasEditLink }: { check: Check; checked: Checked; hasEditLink: boolean }) {
  const elsewhere = placeElsewhere(check)
  if (elsewhere)
    return (
      <PageLink onlyLeads underline="always" to={elsewhere.to}>
        {elsewhere.name}
      </PageLink>
    )
  if (!hasEditLink) return null
  const address = 'broadcastId' in checked ? `/broadcasts/${checked.broadcastId}/edit` : `/templates/${checked.templateId}/edit`
  return (
    <PageLink underline="always" to={address}>
      {TEXTS.edit}
    </PageLink>
  )
}

function placeElsewhere({ code, about }: Check): { to: string; name: string } | null {
  if (code.startsWith('domain_')) return { to: '/domains', name: TEXTS.domains }
  if (code === 'segment_empty' && about !== null) return { to: `/segments/${about}`, name: TEXTS.segment }
  if (code === 'limit_exceeded') return { to: '/usage', name: TEXTS.usage }
  return null
}
