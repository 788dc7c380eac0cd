import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { useDialogForm } from '../parts/dialog-form'
import { Facts } from '../parts/Facts'
import { FormDialog } from '../parts/FormDialog'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'

/** Opens a claim on a domain that another team has. */
export function ClaimDomain({ name = '' }: { name?: string }) {
  const go = useGo()
  const claim = useDialogForm({
    initialValues: { name },
    run: (body: { name: string }) => answer(api.POST('/domains/claim', { body: { name: body.name.trim() } })),
    done: TEXTS.claimOpened,
    changes: ['domains'],
    onDone: ({ domain_id: id }) => {
      if (id !== null) go(`/domains/${id}`)
    },
  })
  return (
    <>
      <Button variant="default" onClick={claim.open}>
        {name === '' ? TEXTS.claim : TEXTS.claimThis}
      </Button>
      <FormDialog title={TEXTS.claim} {...claim.dialog} act={TEXTS.claim}>
        <Text size="sm">{TEXTS.claimHint}</Text>
        <TextInput label={TEXTS.name} required data-autofocus autoCapitalize="off" {...claim.form.getInputProps('name')} />
      </FormDialog>
    </>
  )
}

const OPEN = ['pending', 'verified', 'blocked']

/** How the latest claim of a domain stands, if there is one. */
export function Claim({ domainId }: { domainId: string }) {
  const may = useMay()
  const path = { domain_id: domainId }
  const { data: claim } = useRecord('/domains/{domain_id}/claim', { path })
  const verify = useAct({
    run: () => answer(api.POST('/domains/{domain_id}/claim/verify', { params: { path } })),
    done: TEXTS.claimAsked,
    changes: ['domains'],
  })
  if (!claim) return null
  const isOpen = OPEN.includes(claim.status)
  return (
    <Section
      title={TEXTS.claimTitle}
      acts={
        isOpen &&
        may('domains:write') && (
          <Button size="xs" onClick={() => verify.mutate()} loading={verify.isPending}>
            {TEXTS.claimVerify}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Group gap="xs">
          <StateBadge state={claim.status} />
          <Text>{claim.failure_reason ?? TEXTS.claimMeaning[claim.status]}</Text>
        </Group>
        {claim.blocked_reason && <Alert color="orange">{TEXTS.blocked[claim.blocked_reason]}</Alert>}
        {isOpen && (
          <Facts
            facts={[
              [TEXTS.recordName, <Copyable key="name" text={claim.record.name} />],
              [claim.record.type, <Copyable key="value" text={claim.record.value} />],
              [TEXTS.claimExpires, <Time key="expires" at={claim.expires_at} />],
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}
