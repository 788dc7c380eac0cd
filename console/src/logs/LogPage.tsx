import { Stack, Text } from '@mantine/core'
import { useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Json } from '../parts/Json'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { LOG_TEXTS as TEXTS } from '../texts/logs'
import { LogCaller } from './LogCaller'
import { LogStatus } from './LogStatus'
import { relatedTo } from './related'

export default function LogPage() {
  const id = useAddressPart('logId')
  const { data: log, error, refetch } = useRecord('/logs/{log_id}', { path: { log_id: id } })
  if (!log) return <Awaited read={{ error, refetch }} />
  const related = relatedTo(log)
  return (
    <Page
      title={`${log.method} ${log.endpoint}`}
      back={{ to: '/logs', name: TEXTS.title }}
      state={<LogStatus status={log.response_status} />}
    >
      <Section title={TEXTS.request}>
        <Facts
          facts={[
            [TEXTS.time, <Time key="time" at={log.created_at} />],
            [TEXTS.caller, (log.api_key ?? log.person) && <LogCaller key="caller" log={log} />],
            [TEXTS.program, log.user_agent],
            [
              TEXTS.about,
              related.length > 0 && (
                <Stack key="about" gap={2}>
                  {related.map(({ to, name }) => (
                    <PageLink key={to} to={to}>
                      {name}
                    </PageLink>
                  ))}
                </Stack>
              ),
            ],
            [TEXTS.id, <Copyable key="id" text={log.id} />],
          ]}
        />
      </Section>
      <Body name={TEXTS.requestBody} value={log.request_body} isCut={log.request_body_truncated} />
      <Body name={TEXTS.responseBody} value={log.response_body} isCut={log.response_body_truncated} />
    </Page>
  )
}

const Body = ({ name, value, isCut }: { name: string; value: unknown; isCut: boolean }) => (
  <Section title={name}>
    {value === null ? <Text c="dimmed">{TEXTS.noBody}</Text> : <Json value={value} label={name} />}
    {isCut && (
      <Text size="sm" c="dimmed">
        {TEXTS.cut}
      </Text>
    )}
  </Section>
)
