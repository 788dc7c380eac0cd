import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { Copyable } from './Copyable'

type SecretDialogProps = {
  title: string
  /** Null: it is not open. */
  secret: string | null
  /** Whether it can be seen again, and what it is for. */
  warning: string
  hint?: ReactNode
  onClose: () => void
}

/** Shows a secret that was just made. A click beside it does not close it: it may never be shown again. */
export const SecretDialog = ({ title, secret, warning, hint, onClose }: SecretDialogProps) => (
  <Modal opened={secret !== null} onClose={onClose} title={title} closeOnClickOutside={false} size="lg">
    <Stack>
      <Alert color="orange" icon={<KeyRound size={18} />}>
        {warning}
      </Alert>
      <Copyable text={secret ?? ''} />
      {hint && (
        <Text size="sm" c="dimmed" component="div">
          {hint}
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{TEXTS.haveCopied}</Button>
      </Group>
    </Stack>
  </Modal>
)
