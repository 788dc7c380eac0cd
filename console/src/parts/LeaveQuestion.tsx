import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

/** Asks before a page is left on which something is not saved. */
export function LeaveQuestion({ isDirty }: { isDirty: () => boolean }) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty() && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <Modal opened={leaving.status === 'blocked'} onClose={() => leaving.reset?.()} title={TEXTS.leaveTitle}>
      <Stack>
        <Text>{TEXTS.leaveQuestion}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => leaving.reset?.()} data-autofocus>
            {TEXTS.stay}
          </Button>
          <Button color="red" onClick={() => leaving.proceed?.()}>
            {TEXTS.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
