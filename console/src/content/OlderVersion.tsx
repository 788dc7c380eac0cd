import { Alert, Button, Group } from '@mantine/core'
import { VERSION_TEXTS as TEXTS } from '../texts/content'

/** Says that what is shown below was replaced. */
export const OlderVersion = ({ onShowNewest }: { onShowNewest: () => void }) => (
  <Alert color="blue">
    <Group justify="space-between">
      {TEXTS.olderVersion}
      <Button size="xs" variant="default" onClick={onShowNewest}>
        {TEXTS.showNewest}
      </Button>
    </Group>
  </Alert>
)
