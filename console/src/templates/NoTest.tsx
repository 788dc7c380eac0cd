import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { LinkButton } from '../parts/LinkButton'
import { useMay } from '../session/me'
import { TEMPLATE_TEST_TEXTS as TEXTS } from '../texts/templates'

/** For roles that write templates and send no single emails: who sends a test, and what to do without. */
export function NoTest({ templateId }: { templateId: string }) {
  const may = useMay()
  const [isOpen, { open, close }] = useDisclosure(false)
  const mayByBroadcast = may('broadcasts:write', 'broadcasts:send')
  return (
    <>
      <Button variant="default" onClick={open}>
        {TEXTS.send}
      </Button>
      <Modal opened={isOpen} onClose={close} title={TEXTS.send}>
        <Stack>
          <Text>{TEXTS.mayNot}</Text>
          {mayByBroadcast && <Text>{TEXTS.byBroadcast}</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {TEXTS.close}
            </Button>
            {mayByBroadcast && (
              <LinkButton to="/broadcasts/new" search={{ template: templateId }}>
                {TEXTS.beginBroadcast}
              </LinkButton>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
