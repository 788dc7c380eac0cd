import { Alert, Button, Group, List, Modal, Progress, Stack, Text } from '@mantine/core'

import type { Each } from '../api/each'
import { EACH_TEXTS as TEXTS } from '../texts/each'

const REFUSALS_SHOWN_MAX = 20

/** How far an act on many records is, and what was refused. */
export function EachProgress({ each: { state, stop, close } }: { each: Each }) {
  if (state === null) return null
  const { title, total, done, refused, isRunning } = state
  return (
    <Modal opened onClose={close} title={title} closeOnClickOutside={!isRunning} closeOnEscape={!isRunning} withCloseButton={!isRunning}>
      <Stack>
        <Progress.Root size="lg">
          <Progress.Section value={share(done, total)} color="green" aria-label={TEXTS.done(done, total)} />
          <Progress.Section value={share(refused.length, total)} color="red" aria-label={TEXTS.refused(refused.length)} />
        </Progress.Root>
        <Text role="status">{isRunning ? TEXTS.running(done, total) : TEXTS.done(done, total)}</Text>
        {refused.length > 0 && (
          <Alert color="red" title={TEXTS.refused(refused.length)}>
            <List size="sm">
              {refused.slice(0, REFUSALS_SHOWN_MAX).map(({ item, sentence }) => (
                <List.Item key={item.id}>
                  <b>{item.name}</b>: {sentence}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group justify="flex-end">
          {isRunning ? (
            <Button variant="default" onClick={stop}>
              {TEXTS.stop}
            </Button>
          ) : (
            <Button onClick={close}>{TEXTS.close}</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

const share = (part: number, total: number): number => (total === 0 ? 100 : (part / total) * 100)
