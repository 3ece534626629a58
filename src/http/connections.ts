import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A server's open connections, as far as stopping it has to deal with them. */
export interface Connections {
  /** Called for each request. */
  use(socket: Socket): void;
  /** Ends those that have not carried a request yet: Node takes them for busy, and browsers open some in advance. */
  endUnused(): void;
  endAll(): void;
}

/** Tracks connections from when they open: Node has no list of those that have not negotiated TLS yet. */
export function watchConnections(server: Server, isTls: boolean): Connections {
  const belowTls = isTls ? socketsOf(server, "connection") : new Set<Socket>();
  const unused = socketsOf(server, isTls ? "secureConnection" : "connection");
  return {
    use: (socket) => void unused.delete(socket),
    endUnused: () => destroyAll(unused),
    endAll() {
      server.closeAllConnections();
      destroyAll(belowTls);
    },
  };
}

/**
 * Ends a connection on which nothing has moved for a while, unless its client is waiting for a response that is still
 * being made: one between two requests, and one whose client does not read.
 */
export function endIfStalled(socket: Socket) {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse };
  if (!response || socket.writableLength > 0) socket.destroy();
}

/** The sockets that the event reports, until they close. */
function socketsOf(server: Server, event: "connection" | "secureConnection"): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

function destroyAll(sockets: Iterable<Socket>) {
  for (const socket of sockets) socket.destroy();
}
