// SPDX-License-Identifier: MIT
// Server PORT: answers "hello" over HTTP while threads allocate, compute and lock. Prints only what is wrong.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.concurrent.Executors;

public class Server {
	static final Object lock = new Object();
	static int turns;

	static void work() {
		try {
			for (;;) {
				var map = new HashMap<Integer, String>();
				for (int i = 0; i < 2000; i++)
					map.put(i, "text " + i);
				if (!map.get(1234).equals("text 1234"))
					System.out.println("wrong text");
				synchronized (lock) {
					turns++;
					lock.wait(3);
				}
			}
		} catch (Throwable e) {
			System.out.println(e);
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 3; i++) {
			var thread = new Thread(Server::work);
			thread.setDaemon(true);
			thread.start();
		}
		var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
		server.setExecutor(Executors.newFixedThreadPool(2));
		server.createContext("/hello", exchange -> {
			exchange.sendResponseHeaders(200, 5);
			try (var body = exchange.getResponseBody()) {
				body.write("hello".getBytes());
			}
		});
		server.start();
	}
}
