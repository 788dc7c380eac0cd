import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { SecretDialog } from '../parts/SecretDialog'
import { Section } from '../parts/Section'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'

/** Shown when someone asks for it: others may look at the screen. */
export function WebhookSecret({ webhook }: { webhook: RecordOf<'/webhooks/{webhook_id}'> }) {
  const [isShown, setShown] = useState(false)
  const [fresh, setFresh] = useState<string | null>(null)
  const rotate = useAct({
    run: () => answer(api.POST('/webhooks/{webhook_id}/signing-secret/rotate', { params: { path: { webhook_id: webhook.id } } })),
    changes: ['webhooks'],
    onDone: ({ signing_secret }) => setFresh(signing_secret),
  })
  return (
    <Section
      title={TEXTS.secret}
      acts={
        <ConfirmButton
          name={TEXTS.secretRotate}
          question={TEXTS.secretRotateQuestion}
          color="indigo"
          variant="default"
          size="xs"
          onConfirm={() => rotate.mutate()}
          isBusy={rotate.isPending}
        />
      }
    >
      <Text size="sm" c="dimmed">
        {TEXTS.secretHint}
      </Text>
      {isShown ? (
        <Copyable text={webhook.signing_secret} />
      ) : (
        <Group>
          <Button size="xs" variant="default" onClick={() => setShown(true)}>
            {TEXTS.secretShow}
          </Button>
        </Group>
      )}
      <SecretDialog title={TEXTS.secret} secret={fresh} warning={TEXTS.secretRotated} onClose={() => setFresh(null)} />
    </Section>
  )
}
