import { Alert, Button, Group, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { commandOf } from '../parts/command'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { withCode } from '../parts/with-code'
import { useMe } from '../session/me'
import { useGo } from '../shell/address'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

type Steps = NonNullable<RecordOf<'/overview'>['first_steps']>

/** What a new team does first. Each step ticks itself off, and all of it goes once all is done. */
export default function FirstSteps({ steps }: { steps: Steps }) {
  const { installation } = useMe()
  return (
    <Section title={TEXTS.steps}>
      <Stack gap="lg">
        <Step number={1} title={TEXTS.addDomain} isDone={steps.verified_domain !== null}>
          {!installation.has_mail_hostname && <Alert color="orange">{withCode(TEXTS.hostnameFirst)}</Alert>}
          <Text size="sm">{steps.has_domain ? TEXTS.publish : TEXTS.addDomainMore}</Text>
          <PageLink to="/domains">{steps.has_domain ? TEXTS.toRecords : TEXTS.toDomains}</PageLink>
        </Step>
        <Step number={2} title={TEXTS.makeKey} isDone={steps.has_api_key}>
          <Text size="sm">{TEXTS.makeKeyMore}</Text>
          <PageLink to="/api-keys">{TEXTS.toKeys}</PageLink>
        </Step>
        <Step number={3} title={TEXTS.sendFirst} isDone={steps.has_email}>
          {steps.first_email.from === null ? (
            <Text size="sm">{TEXTS.domainFirst}</Text>
          ) : (
            <FirstEmail first={{ ...steps.first_email, from: steps.first_email.from }} />
          )}
        </Step>
      </Stack>
    </Section>
  )
}

const Step = ({ number, title, isDone, children }: { number: number; title: string; isDone: boolean; children: ReactNode }) => (
  <Group align="flex-start" wrap="nowrap">
    <ThemeIcon radius="xl" size="md" color={isDone ? 'green' : 'indigo'} variant={isDone ? 'filled' : 'light'}>
      {isDone ? <Check size={14} aria-label={TEXTS.done} /> : number}
    </ThemeIcon>
    <Stack gap={4} miw={0} flex={1} align="flex-start">
      <Title order={3} c={isDone ? 'dimmed' : undefined} td={isDone ? 'line-through' : undefined}>
        {title}
      </Title>
      {!isDone && children}
    </Stack>
  </Group>
)

function FirstEmail({ first: { from, to, subject, text, is_simulated: isSimulated } }: { first: Steps['first_email'] & { from: string } }) {
  const { email: own } = useMe()
  const go = useGo()
  // An address that only simulates a recipient always works.
  const form = useForm({ initialValues: { from, to: isSimulated ? to : own } })
  const send = useAct({
    run: (values: { from: string; to: string }) => answer(api.POST('/emails', { body: { ...values, subject, text } })),
    done: TEXTS.sent,
    changes: ['emails', 'overview'],
    onDone: ({ id }) => go(`/emails/${id}`),
  })
  return (
    <Stack gap="sm" w="100%">
      <form onSubmit={form.onSubmit((values) => send.mutate(values))}>
        <Group align="flex-end">
          <TextInput label={TEXTS.sendFrom} required w={{ base: '100%', xs: 240 }} {...form.getInputProps('from')} />
          <TextInput label={TEXTS.sendTo} required w={{ base: '100%', xs: 240 }} {...form.getInputProps('to')} />
          <Button type="submit" loading={send.isPending}>
            {TEXTS.send}
          </Button>
        </Group>
      </form>
      {isSimulated && form.values.to === to && <Text size="sm">{TEXTS.simulated}</Text>}
      <Text size="sm" c="dimmed">
        {TEXTS.command}
      </Text>
      <Copyable text={commandOf('/emails', { ...form.values, subject, text })} />
    </Stack>
  )
}
