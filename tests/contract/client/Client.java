// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;

/**
 * A client of the command-line interface in a few lines, with the options, variables and exit codes of the real one.
 */
public class Client {
    static final int ARG = 0, LOCALE = 1, ENCODING = 2, START = 3, EXIT = 4, STDIN = 5, END_STDIN = 6, STDOUT = 7, STDERR = 8;
    static final CompletableFuture<Integer> exit = new CompletableFuture<>();

    interface Output {
        void send(int operation, byte[] data) throws IOException;
    }

    public static void main(String[] arguments) {
        try {
            System.exit(run(new ArrayDeque<>(List.of(arguments))));
        } catch (Throwable problem) {
            problem.printStackTrace();
            System.exit(-1);
        }
    }

    static int run(Deque<String> words) throws Exception {
        String url = System.getenv("JENKINS_URL");
        boolean http = false;
        while (words.peek() != null && words.peek().startsWith("-")) {
            String option = words.pop();
            if (option.equals("-s")) url = words.pop();
            else if (option.equals("-http")) http = true;
            else if (!option.equals("-webSocket")) throw new IllegalArgumentException(option);
        }
        String user = System.getenv("JENKINS_USER_ID"), token = System.getenv("JENKINS_API_TOKEN");
        if ((user == null) != (token == null)) {
            System.out.println("JENKINS_USER_ID and JENKINS_API_TOKEN should be both set or left empty.");
            return -1;
        }
        byte[] login = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
        String authorization = user == null ? null : "Basic " + Base64.getEncoder().encodeToString(login);
        url = url.endsWith("/") ? url : url + "/";
        return http ? overHttp(url, authorization, words) : overWebSocket(url, authorization, words);
    }

    static int overHttp(String url, String authorization, Deque<String> words) throws Exception {
        String session = UUID.randomUUID().toString();
        HttpURLConnection download = side(url, authorization, session, "download");
        download.getOutputStream().close();
        InputStream in = download.getInputStream();
        if (download.getHeaderField("Hudson-Duplex") == null) {
            System.err.println("There's no Jenkins running at " + download.getURL());
            return 3;
        }
        if (in.read() != 0) throw new IOException("not the first byte");
        HttpURLConnection upload = side(url, authorization, session, "upload");
        upload.setChunkedStreamingMode(0);
        DataOutputStream out = new DataOutputStream(upload.getOutputStream());
        speak(words, (operation, data) -> {
            synchronized (out) {
                out.writeInt(data.length);
                out.writeByte(operation);
                out.write(data);
                out.flush();
            }
        });
        DataInputStream frames = new DataInputStream(in);
        try {
            while (!exit.isDone()) {
                byte[] data = new byte[frames.readInt()];
                int operation = frames.readUnsignedByte();
                frames.readFully(data);
                hear(operation, data);
            }
        } catch (EOFException lost) {
            System.err.println("Connection closed before the command ended");
            return -1;
        }
        return exit.get();
    }

    static HttpURLConnection side(String url, String authorization, String session, String side) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url + "cli?remoting=false").openConnection();
        connection.setDoOutput(true);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Session", session);
        connection.setRequestProperty("Side", side);
        connection.setRequestProperty("Content-Type", "application/octet-stream");
        if (authorization != null) connection.setRequestProperty("Authorization", authorization);
        return connection;
    }

    static int overWebSocket(String url, String authorization, Deque<String> words) throws Exception {
        URI base = URI.create(url);
        WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
        builder.header("Origin", base.getScheme() + "://" + base.getAuthority());
        if (authorization != null) builder.header("Authorization", authorization);
        try {
            WebSocket socket = builder.buildAsync(URI.create(url.replaceFirst("^http", "ws") + "cli/ws"), new Listener()).get();
            speak(words, (operation, data) -> {
                byte[] message = new byte[data.length + 1];
                message[0] = (byte) operation;
                System.arraycopy(data, 0, message, 1, data.length);
                synchronized (socket) {
                    socket.sendBinary(ByteBuffer.wrap(message), true).join();
                }
            });
            return exit.get();
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof WebSocketHandshakeException refused)) throw failed;
            System.err.println("CLI handshake failed with status code " + refused.getResponse().statusCode());
            refused.getResponse().headers().map().forEach((name, values) ->
                System.err.println((name.equals("x-cli-error") ? "X-CLI-Error" : name) + ": " + String.join(", ", values)));
            return 15;
        }
    }

    static class Listener implements WebSocket.Listener {
        private final ByteArrayOutputStream message = new ByteArrayOutputStream();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer piece, boolean last) {
            byte[] data = new byte[piece.remaining()];
            piece.get(data);
            message.writeBytes(data);
            if (last) {
                byte[] whole = message.toByteArray();
                message.reset();
                hear(whole[0], Arrays.copyOfRange(whole, 1, whole.length));
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            exit.complete(-1);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable problem) {
            exit.completeExceptionally(problem);
        }
    }

    static void hear(int operation, byte[] data) {
        if (operation == STDOUT) System.out.writeBytes(data);
        else if (operation == STDERR) System.err.writeBytes(data);
        else if (operation == EXIT) exit.complete(ByteBuffer.wrap(data).getInt());
        System.out.flush();
    }

    static void speak(Deque<String> words, Output output) throws IOException {
        for (String word : words.isEmpty() ? List.of("help") : words) output.send(ARG, utf(word));
        output.send(ENCODING, utf("UTF-8"));
        output.send(LOCALE, utf("en_US"));
        output.send(START, new byte[0]);
        Thread feeding = new Thread(() -> {
            byte[] piece = new byte[60_000];
            try {
                for (int size; (size = System.in.read(piece)) > 0; ) output.send(STDIN, Arrays.copyOf(piece, size));
                output.send(END_STDIN, new byte[0]);
            } catch (IOException gone) {
                // the command has ended without reading it
            }
        });
        feeding.setDaemon(true);
        feeding.start();
    }

    static byte[] utf(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        return bytes.toByteArray();
    }
}
