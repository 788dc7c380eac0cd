// Lays out graphs beside the page: it answers the messages of layout.ts.
import 'elkjs/lib/elk-worker.js'
